"""Questions on students' own code for learning platforms: Moodle XML, and QTI 1.2 for Canvas.

Also the sheet for interviews, and a table of the codes that open the questions in a notebook.
"""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from autograder.base.text import printable
from autograder.questions.sheet import Sheet
from autograder.questions.subject import NOTATION, CodeQuestion
from autograder.show.exports.safe_csv import table
from autograder.show.pages.document import show

QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"


def sheet(title: str, sheets: Sequence[tuple[str, Sheet]], has_answers: bool) -> str:
    """The sheet, about half a page for each student.

    Args:
        sheets: with the names of the students, if known.
        has_answers: whether to mark the right options, and to say why questions are missing.
    """
    return show(
        "questions.html.jinja",
        ("page.css", "questions.css"),
        title=title,
        sheets=sheets,
        notation=NOTATION,
        has_answers=has_answers,
    )


def moodle(exercise: str, sheets: Sequence[Sheet]) -> bytes:
    """Moodle's own format: a category for each student, from which a quiz draws questions."""
    quiz = Element("quiz")
    for sheet in sheets:
        if not sheet.questions:
            continue
        category = SubElement(quiz, "question", type="category")
        name = f"$course$/Questions on {exercise}/{sheet.student}"
        _text(SubElement(category, "category"), name)

        for number, question in enumerate(sheet.questions, start=1):
            entry = SubElement(quiz, "question", type="multichoice")
            _text(SubElement(entry, "name"), _title(exercise, sheet, number))
            _text(SubElement(entry, "questiontext", format="html"), _shown(question, sheet))
            for tag, said in (
                ("defaultgrade", "1"),
                ("single", "true"),
                ("shuffleanswers", "true"),
            ):
                SubElement(entry, tag).text = said

            for place, option in enumerate(question.options):
                share = "100" if place == question.right else "0"
                answer = SubElement(entry, "answer", fraction=share, format="html")
                _text(answer, _code(option))
    return _written(quiz)


def qti(exercise: str, sheets: Sequence[Sheet]) -> bytes:
    """A package of QTI 1.2, which Canvas imports: a question bank for each student."""
    manifest = Element("manifest", xmlns=PACKAGE, identifier=f"questions-{exercise}")
    SubElement(manifest, "organizations")
    resources = SubElement(manifest, "resources")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for sheet in sheets:
            if not sheet.questions:
                continue
            file = f"{sheet.student}.xml"
            about = {"identifier": f"bank-{sheet.student}", "type": "imsqti_xmlv1p2", "href": file}
            SubElement(SubElement(resources, "resource", about), "file", href=file)
            package.writestr(zipfile.ZipInfo(file), _bank(exercise, sheet))
        package.writestr(zipfile.ZipInfo("imsmanifest.xml"), _written(manifest))
    return buffer.getvalue()


def codes(of_students: Mapping[str, str], names: Mapping[str, str]) -> bytes:
    """A table of the codes for each student's questions, with their names if known."""
    rows = [(student, code, names.get(student, "")) for student, code in of_students.items()]
    return table([("student", "code", "name"), *sorted(rows)])


def _bank(exercise: str, sheet: Sheet) -> bytes:
    root = Element("questestinterop", xmlns=QTI)
    bank = SubElement(root, "objectbank", ident=f"bank-{sheet.student}")
    title = f"Questions on {exercise}: {sheet.student}"
    _fields(SubElement(bank, "qtimetadata"), {"bank_title": title})
    for number, question in enumerate(sheet.questions, start=1):
        about = {"ident": f"{sheet.student}-{number}", "title": _title(exercise, sheet, number)}
        item = SubElement(bank, "item", about)
        kind = {"question_type": "multiple_choice_question", "points_possible": "1"}
        _fields(SubElement(SubElement(item, "itemmetadata"), "qtimetadata"), kind)
        shown = SubElement(item, "presentation")
        _material(shown, _shown(question, sheet))
        response = SubElement(shown, "response_lid", ident="response1", rcardinality="Single")
        choice = SubElement(response, "render_choice")
        for place, option in enumerate(question.options):
            _material(SubElement(choice, "response_label", ident=f"option{place}"), _code(option))

        processing = SubElement(item, "resprocessing")
        score = {"maxvalue": "100", "minvalue": "0", "varname": "SCORE", "vartype": "Decimal"}
        SubElement(SubElement(processing, "outcomes"), "decvar", score)
        condition = SubElement(processing, "respcondition", {"continue": "No"})
        equal = SubElement(SubElement(condition, "conditionvar"), "varequal", respident="response1")
        equal.text = f"option{question.right}"
        SubElement(condition, "setvar", action="Set", varname="SCORE").text = "100"
    return _written(root)


def _fields(metadata: Element, said: dict[str, str]) -> None:
    for label, entry in said.items():
        field = SubElement(metadata, "qtimetadatafield")
        SubElement(field, "fieldlabel").text = label
        SubElement(field, "fieldentry").text = entry


def _material(parent: Element, shown: str) -> None:
    text = SubElement(SubElement(parent, "material"), "mattext", texttype="text/html")
    text.text = shown


def _text(parent: Element, said: str) -> None:
    SubElement(parent, "text").text = said


def _title(exercise: str, sheet: Sheet, number: int) -> str:
    return f"{exercise}, {sheet.student}, question {number}"


def _written(root: Element) -> bytes:
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def _shown(question: CodeQuestion, sheet: Sheet) -> str:
    """The question as HTML, below the lines that it is about; students' text is escaped."""
    lines = sheet.code.get(question.step, ())
    listing = "\n".join(f"{number or '':4}  {text}" for number, text in lines)
    parts = []
    for place, part in enumerate(question.prompt.split("`")):
        parts.append(_code(part) if place % 2 else html.escape(part))
    return f"<pre>{html.escape(printable(listing))}</pre><p>{''.join(parts)}</p><p>{NOTATION}</p>"


def _code(text: str) -> str:
    return f'<code style="white-space: pre-wrap">{html.escape(printable(text))}</code>'
