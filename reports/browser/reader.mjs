// A reader with Chromium: what the tests of all pages share. Functions marked so run in the page.
import { chromium } from "playwright-core";

export async function startReader(executablePath) {
  // The sandbox needs user namespaces or a set-id helper that a CI machine may lack; the pages are our own.
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const tests = [];

  async function open(address, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const seen = { requests: [], problems: [] };
    page.on("request", (request) => seen.requests.push(request.url()));
    page.on("console", (message) => seen.problems.push(message.text()));
    page.on("pageerror", (error) => seen.problems.push(String(error)));
    page.on("dialog", (dialog) => { seen.problems.push("dialog " + dialog.message()); dialog.dismiss(); });
    await page.goto(address);
    return { page, seen, close: () => context.close() };
  }

  /** Runs the tests one after the other, `after` them whatever came of it, and ends with their verdict. */
  async function finish(after) {
    let failed = 0;
    for (const { name, body } of tests) {
      try {
        await body();
        console.log(`ok    ${name}`);
      } catch (error) {
        failed += 1;
        console.log(`FAIL  ${name}\n      ${String(error.message).replaceAll("\n", "\n      ")}`);
      }
    }
    if (after) await after();
    await browser.close();
    console.log(`${tests.length - failed} of ${tests.length} held`);
    process.exit(failed === 0 ? 0 : 1);
  }

  return { open, finish, test: (name, body) => tests.push({ name, body }) };
}

/** Which rule of its policy a page breaks when a script is put into it; "nothing" when it ran. */
export const refusedScript = (page) => page.evaluate(() => new Promise((resolve) => {
  document.addEventListener("securitypolicyviolation", (event) => resolve(event.violatedDirective));
  const script = document.createElement("script");
  script.textContent = "document.title = 'owned'";
  document.body.append(script);
  setTimeout(() => resolve("nothing"), 2000);
}));

/** In the page. */
export const openEverything = () => document.querySelectorAll("details").forEach((each) => { each.open = true; });

/** In the page: how many of each element and attribute, and links that begin like none of `known`. */
export const elementCounts = (known) => {
  const counts = {};
  const add = (key) => { counts[key] = (counts[key] || 0) + 1; };
  document.querySelectorAll("*").forEach((element) => {
    add(element.localName);
    for (const attribute of element.attributes) add(`${element.localName} ${attribute.name}`);
  });
  document.querySelectorAll("a[href]").forEach((link) => {
    if (!known.some((start) => link.getAttribute("href").startsWith(start))) add("foreign link");
  });
  return counts;
};

/** In the page: what a screen reader could not name. */
export const unnamed = () => {
  const found = [];
  document.querySelectorAll("table").forEach((table) => { if (!table.caption) found.push("table " + table.className); });
  document.querySelectorAll("button, input, select").forEach((control) => {
    if (!control.textContent.trim() && !control.labels?.length) found.push(control.outerHTML);
  });
  document.querySelectorAll("th").forEach((cell) => { if (!cell.scope) found.push(cell.outerHTML); });
  const ids = Array.from(document.querySelectorAll("[id]"), (each) => each.id);
  ids.filter((id, at) => ids.indexOf(id) !== at).forEach((id) => found.push("twice: " + id));
  return found;
};

// WCAG 2.2, relative luminance and contrast; run in the page.
export const lowContrast = () => {
  const channel = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  document.querySelectorAll("body *").forEach((element) => {
    const own = Array.from(element.childNodes).some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.closest("script, style")) return;
    const style = getComputedStyle(element);
    const colour = parse(element instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(colour), light(ground(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.add(`${element.localName}.${element.getAttribute("class")} ${ratio.toFixed(2)}`);
  });
  return Array.from(found);
};
