"""What the browser tests of the report share: opening a report and reading what it shows."""

import json
import os
import subprocess
import unittest

from browser import Browser


DRAWN = """new Promise((done) => {
  const end = performance.now() + 30000;
  const isDrawn = () => performance.getEntriesByName('drawn').length > 0 || performance.now() > end;
  const look = () => (document.querySelector('#headline').textContent === '' || isDrawn() ? done() : setTimeout(look, 5));
  look();
})"""


class Setting:
    """Filled from the command line."""

    render = None
    folder = None


class ReportCase(unittest.TestCase):
    """A test that opens reports in one browser; the page must neither complain nor load anything."""

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    def open(self, document, title="Report"):
        """Renders `document` and shows it; returns the text of the page."""
        source, page = (
            os.path.join(Setting.folder, self.id().rsplit(".", 1)[-1] + ending) for ending in (".json", ".html")
        )
        with open(source, "w") as file:
            json.dump(document, file)
        subprocess.run([Setting.render, source, page, title], check=True)
        return self.show(page)

    def show(self, page):
        """Shows a page, with all of its charts; returns its text."""
        self.browser.open(page)
        return self.browser.evaluate(DRAWN + ".then(() => document.body.innerText)")

    def js(self, expression):
        return self.browser.evaluate(expression)

    def text(self, selector):
        return self.js(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")

    def texts(self, selector):
        return self.js(f"[...document.querySelectorAll({json.dumps(selector)})].map((node) => node.innerText)")

    def series(self, chart, kind, value="y"):
        """`value` of every item of the datasets of this kind, one list each."""
        return self.js(
            f"Chart.getChart('{chart}').data.datasets.filter((set) => set.kind === '{kind}').map((set) => set.data.map((item) => item.{value}))"
        )

    def sections(self):
        return self.js("[...document.querySelectorAll('section')].map((node) => node.id)")

    def column(self, heading, unit=""):
        """The shown cells of the column of the table with this heading and unit."""
        heads = self.js(
            "[...document.querySelectorAll('#table thead th')].map((cell) => [cell.querySelector('button')?.innerText, cell.querySelector('.unit')?.innerText])"
        )
        place = heads.index([heading, unit]) + 1
        return self.texts(f"#table tbody tr[data-point] > :nth-child({place})")

    def click(self, selector):
        self.js(f"document.querySelector({json.dumps(selector)}).click()")

    def choose(self, section, label, value):
        self.js(
            f"""(() => {{ const field = [...document.querySelectorAll('#{section} label')].find((node) => node.firstChild.textContent === '{label}').querySelector('select');
                    field.value = '{value}'; field.dispatchEvent(new Event('change')); }})()"""
        )

    def downloaded(self, button):
        """The text that a download button offers."""
        return self.js(
            f"""new Promise((done) => {{ const original = URL.createObjectURL; URL.createObjectURL = (blob) => {{ blob.text().then(done); return 'data:,'; }};
                           HTMLAnchorElement.prototype.click = () => {{}}; document.getElementById('{button}').click(); URL.createObjectURL = original; }})"""
        )

    def place_of(self, chart, index):
        self.js(f"document.getElementById('{chart}').scrollIntoView({{ block: 'center' }})")
        return self.js(
            f"""(() => {{ const {{ left, top }} = document.getElementById('{chart}').getBoundingClientRect();
                           const {{ x, y }} = Chart.getChart('{chart}').getDatasetMeta(0).data[{index}].getCenterPoint(); return [left + x, top + y]; }})()"""
        )
