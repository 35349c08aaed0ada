
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

// No page loads MathJax, and nbgrader's has no keys unless it says that it is done.
window.MathJax = {Hub: {Config: () => {}, Queue: () => {}, Startup: {signal: {Interest: (hear) => hear("End")}}}};

// nbgrader says nothing when what somebody entered could not be saved.
$(document).ajaxError(function (event, answer, request) {
    if (request.type === "PUT") {
        var why = answer.status === 409 ? answer.responseText : "The server could not save it.";
        $(".modal").modal("hide");
        createModal("not-saved-modal", "Not saved", $("<p/>").text(why));
    }
});

// A rubric: what is ticked adds up to the score, and is what the comment begins with.
function showRubric() {
    var rubric = $(this), items = JSON.parse(decodeURIComponent(rubric.attr("data-items")));
    var cell = $("#" + rubric.attr("data-question")).parents(".nbgrader_cell");
    var score = cell.find(".score"), comment = cell.find(".comment");
    var lines = items.map((item) => ["- \u2717 " + item[1], "- \u2713 " + item[1]]);
    var boxes = items.map(() => $("<input type='checkbox' class='tabbable' disabled/>"));
    var said = () => comment.val().split("\n");

    function read() {
        var isLoaded = formgrader.grades.loaded && formgrader.comments.loaded;  // nothing is saved before
        boxes.forEach((box, place) => box.prop("checked", said().includes(lines[place][1])));
        boxes.forEach((box) => box.prop("disabled", !isLoaded));
    }
    function write() {
        var ticked = boxes.map((box) => box.prop("checked"));
        var others = said().filter((line) => !lines.flat().includes(line)).join("\n").trim();
        var list = lines.map((both, place) => both[Number(ticked[place])]).join("\n");
        var text = list + (others && "\n\n" + others);
        if (text === comment.val()) {
            return false;
        }
        comment.val(text).trigger("change");
        return ticked;
    }
    function tick() {
        var ticked = write();
        if (ticked) {
            var earned = items.reduce((sum, item, place) => sum + item[0] * ticked[place], 0);
            score.val(Number(earned.toFixed(6))).trigger("change");
        } else {
            $(document).trigger("finished_saving");  // the formgrader leaves the box, and waits
        }
    }
    function all(checked) {
        boxes.forEach((box) => box.prop("checked", checked));
        write();  // nbgrader's button sets the score
    }

    var labels = items.map((item, place) => $("<label/>").append(boxes[place], " ", document.createTextNode(item[1])));
    var list = $("<fieldset class='rubric-items'><legend>Rubric</legend></fieldset>");
    list.append(labels.map((label) => $("<div/>").append(label)));
    cell.find(".panel-footer").prepend(list);
    boxes.forEach((box) => box.on("change", tick));
    cell.find(".full-credit").on("click", () => all(true));
    cell.find(".no-credit").on("click", () => all(false));
    comment.on("change", read);
    $(document).ajaxComplete(read);  // the comment has come, or is saved
}
// Before the page is complete: then nbgrader looks for its fields.
document.addEventListener("DOMContentLoaded", () => $("div.rubric").each(showRubric));
