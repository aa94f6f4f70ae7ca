// What a reader does with report.html, in Chromium. Arguments: chromium, the folder with the evidence
// folders `before`, `sample` (hostile) and `benign`, and where to put screenshots (may be empty).
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { elementCounts, lowContrast, openEverything, refusedScript, startReader, unnamed } from "./reader.mjs";

const [executablePath, folder, shots] = process.argv.slice(2);
const url = (name) => `file://${folder}/${name}/report.html`;
const reader = await startReader(executablePath);
const { test } = reader;
const open = (name, options = {}, hash = "") => reader.open(url(name) + hash, options);

const shown = (page) => page.locator("details.check:not([hidden])").count();

test("no request is made but for the page, no rule of its policy is broken, no script of the data runs", async () => {
  for (const name of ["sample", "benign", "before"]) {
    const { page, seen, close } = await open(name);
    await page.evaluate(openEverything);
    await page.mouse.wheel(0, 4000);
    assert.deepEqual(seen.requests, [url(name)]);
    assert.deepEqual(seen.problems, []);
    assert.match(await page.title(), /PyBox campaign/);
    assert.match(await refusedScript(page), /script-src/);
    assert.notEqual(await page.title(), "owned");
    await close();
  }
});

test("hostile data makes the same elements and attributes as plain data", async () => {
  const count = async (name) => {
    const { page, close } = await open(name, { javaScriptEnabled: true });
    const elements = await page.evaluate(elementCounts, ["#", "raw/"]);
    await close();
    return elements;
  };
  const hostile = await count("sample");
  const plain = await count("benign");
  for (const key of Object.keys({ ...hostile, ...plain })) {
    assert.equal(hostile[key], plain[key], key);
  }
  assert.equal(hostile["foreign link"], undefined);
  assert.equal(hostile.img, undefined);
  assert.equal(hostile.script, 1);
});

test("chips, area and search filter, and the address holds the state", async () => {
  const { page, close } = await open("sample");
  const all = await shown(page);
  assert.equal(all, 45);
  await page.locator('.chip[data-value="broken"]').click();
  assert.equal(await shown(page), 1);
  assert.equal(new URL(page.url()).hash, "#status=broken");
  await page.locator('.chip[data-value="vacuous"]').click();
  assert.equal(await shown(page), 2);
  assert.equal(new URL(page.url()).hash, "#status=broken,vacuous");
  assert.equal(await page.locator("#shown").innerText(), "Showing 2 of 45 checks");
  await page.locator("#reset").click();
  assert.equal(await shown(page), all);
  assert.equal(new URL(page.url()).hash, "");
  await page.locator('.chip[data-value="vm"]').click();
  await page.locator("#area").selectOption("resources");
  await page.locator("#find").fill("heap cg.mem");
  assert.equal(await shown(page), 1);
  assert.equal(new URL(page.url()).hash, "#engine=vm&area=resources&q=heap+cg.mem");
  await page.locator("#find").fill("no such thing");
  assert.equal(await shown(page), 0);
  assert.ok(await page.locator("#empty").isVisible());
  await close();
});

test("an address opens the view it names, or the check it names", async () => {
  const view = await open("sample", {}, "#status=error,flaky&engine=vm");
  assert.equal(await shown(view.page), 2);
  assert.equal(await view.page.locator('.chip[data-value="flaky"]').getAttribute("aria-pressed"), "true");
  await view.close();
  const place = await open("sample", {}, "#check-net.loopback_native");
  assert.equal(await shown(place.page), 45);
  assert.ok(await place.page.locator("#check-net\\.loopback_native").evaluate((each) => each.open));
  assert.ok(await place.page.locator("#check-net\\.loopback_native .pair").isVisible());
  await place.close();
});

test("everything can be done with the keyboard", async () => {
  const { page, close } = await open("sample");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  assert.ok(await page.locator(".skip").evaluate((each) => each.getBoundingClientRect().left >= 0));
  await page.keyboard.press("Enter");
  assert.match(page.url(), /#checks$/);
  await page.locator('.chip[data-value="broken"]').focus();
  const ring = await page.locator('.chip[data-value="broken"]').evaluate((each) => {
    return getComputedStyle(each).outlineStyle + " " + parseFloat(getComputedStyle(each).outlineWidth);
  });
  assert.equal(ring, "solid 2");
  await page.keyboard.press("Space");
  assert.equal(await shown(page), 1);
  await page.keyboard.press("Space");
  await page.locator("body").press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "find");
  await page.keyboard.type("iouring");
  assert.equal(await shown(page), 2);
  await page.keyboard.press("Escape");
  assert.equal(await shown(page), 45);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  const second = page.locator("details.check").nth(1);
  assert.ok(await second.locator("summary").evaluate((each) => each === document.activeElement));
  const was = await second.evaluate((each) => each.open);
  await page.keyboard.press("Enter");
  assert.equal(await second.evaluate((each) => each.open), !was);
  await close();
});

test("without JavaScript everything can be read and opened", async () => {
  const { page, seen, close } = await open("sample", { javaScriptEnabled: false });
  assert.equal(await shown(page), 45);
  assert.ok(!(await page.locator(".filters").isVisible()));
  assert.ok(!(await page.locator(".copy").first().isVisible()));
  assert.ok(!(await page.locator("#theme").isVisible()));
  assert.ok(await page.locator("#check-time\\.set_vm .pair").isVisible());
  await page.locator("#check-net\\.loopback_vm summary").click();
  assert.ok(await page.locator("#check-net\\.loopback_vm .pair").isVisible());
  for (const id of ["changed", "checks", "matrix", "curves", "not-proven", "verify", "appendix"]) {
    assert.ok(await page.locator("#" + id).isVisible(), id);
  }
  assert.deepEqual(seen.requests, [url("sample")]);
  await close();
});

test("what is not proven stands there in full", async () => {
  const { page, close } = await open("sample");
  const text = await page.locator("#not-proven").innerText();
  for (const word of ["time.set@vm", "ipc.sysv@native", "host.set@vm", "net.alg@native", "mem.swap@vm", "vm.nonic", "sec.sock",
    "Side channels", "expected here"]) {
    assert.ok(text.includes(word), word);
  }
  assert.equal(await page.locator("#not-proven details").count(), 0);
  await close();
});

test("a command is copied, and says so", async () => {
  const { page, close } = await open("sample", { permissions: ["clipboard-read", "clipboard-write"] });
  const cell = page.locator("#check-time\\.set_vm .pair tr", { hasText: "Run again" }).locator("td").last();
  await cell.locator(".copy").click();
  await cell.locator(".copy", { hasText: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "campaign run time.set --engine vm --arm control");
  await close();
});

test("the first line that differs is marked, one a table", async () => {
  const { page, close } = await open("benign");
  const first = page.locator("#check-net\\.loopback_vm .first");
  assert.equal(await first.count(), 1);
  assert.match(await first.evaluate((each) => each.textContent), /signature.*first difference.*ECONNREFUSED.*reached/);
  await close();
});

test("curves show limit, end and control", async () => {
  const { page, close } = await open("benign");
  const memory = page.locator("#curve-check-mem\\.heap_vm figure").first();
  for (const part of [".c-protected", ".c-control", ".limit", ".kill"]) assert.equal(await memory.locator(part).count(), 1, part);
  const y = (selector) => memory.locator(selector).first().evaluate((each) => each.getBBox().y);
  assert.ok(await y(".c-control") < await y(".limit"), "the control goes over the limit");
  assert.ok(await y(".c-protected") >= await y(".limit") - 1, "the protected arm does not");
  await close();
});

test("the theme follows the system, and the button", async () => {
  const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await open("benign", { colorScheme: "light" });
  const dark = await open("benign", { colorScheme: "dark" });
  const [bright, black] = [await ground(light.page), await ground(dark.page)];
  assert.notEqual(bright, black);
  await dark.page.locator("#theme").click();
  assert.equal(await ground(dark.page), bright);
  assert.equal(await dark.page.locator("#theme").innerText(), "Theme: light");
  await dark.page.locator("#theme").click();
  assert.equal(await ground(dark.page), black);
  await light.close();
  await dark.close();
});

test("every text has a contrast of 4.5 or more, in both themes, and the check can fail", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { page, close } = await open("sample", { colorScheme });
    await page.evaluate(openEverything);
    assert.deepEqual(await page.evaluate(lowContrast), [], colorScheme);
    await page.evaluate(() => { document.querySelector(".lead").setAttribute("class", "seeded"); });
    await page.evaluate(() => { document.querySelector(".seeded").style.color = getComputedStyle(document.body).backgroundColor; });
    assert.deepEqual(await page.evaluate(lowContrast), ["p.seeded 1.00"]);
    await close();
  }
});

test("a narrow window and a printed page lose nothing at the side", async () => {
  const { page, close } = await open("sample", { viewport: { width: 360, height: 800 } });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  await page.emulateMedia({ media: "print" });
  assert.ok(!(await page.locator(".filters").isVisible()));
  assert.ok(await page.locator(".printed").isVisible());
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  await page.setViewportSize({ width: 703, height: 1000 });  // what is left of A4 between the margins
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 703, "the matrix of all protections fits on a page");
  const pdf = await page.pdf({ preferCSSPageSize: true });
  assert.ok(pdf.length > 20000);
  await close();
});

test("headings, tables and controls have names", async () => {
  const { page, close } = await open("sample");
  assert.deepEqual(await page.evaluate(unnamed), []);
  assert.equal(await page.locator("h1").count(), 1);
  await close();
});

async function takeShots() {
  mkdirSync(shots, { recursive: true });
  for (const [name, options] of [["light", { colorScheme: "light" }], ["dark", { colorScheme: "dark" }],
    ["narrow", { viewport: { width: 390, height: 1200 } }]]) {
    const { page, close } = await open("sample", { viewport: { width: 1280, height: 1200 }, ...options });
    for (const place of ["top", "changed", "checks", "matrix", "curves", "not-proven", "verify"]) {
      if (place !== "top") await page.evaluate((id) => document.getElementById(id).scrollIntoView({ behavior: "instant" }), place);
      await page.screenshot({ path: `${shots}/${name}-${place}.png` });
    }
    if (name === "light") await page.pdf({ path: `${shots}/print.pdf`, preferCSSPageSize: true });
    await close();
  }
}

await reader.finish(shots ? takeShots : null);
