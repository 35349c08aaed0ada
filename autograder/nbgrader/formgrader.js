
// From here on it is the kit's.

// Outside of JupyterLab nbgrader links to the root of the machine, and not of this server.
var linkOfNbgrader = linkTo;
linkTo = function (type, path) {
    var link = linkOfNbgrader(type, path);
    return (place, element) => {
        var made = link(place, element);
        if (window === window.top) {
            $(made).attr("href", base_url.replace(/\/formgrader$/, "") + $(made).attr("href"));
        }
        return made;
    };
};

// nbgrader says nothing when what somebody entered could not be saved.
$(document).ajaxError(function (event, answer, request) {
    if (request.type === "PUT") {
        var why = answer.status === 409 ? answer.responseText : "The server could not save it.";
        $(".modal").modal("hide");
        createModal("not-saved-modal", "Not saved", $("<p/>").text(why));
    }
});
