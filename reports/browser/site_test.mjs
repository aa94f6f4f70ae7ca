// What a reader does with a published site and with the page of a diff, in Chromium, from a web server and from disk.
// Arguments: chromium, the folder with the sites `hostile` and `benign` (two campaigns each, alike but for their texts)
// and `gap` (three, two of which name the same one before them), and where to put screenshots (may be empty).
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { elementCounts, lowContrast, openEverything, refusedScript, startReader, unnamed } from "./reader.mjs";

const [executablePath, folder, shots] = process.argv.slice(2);
const types = { ".html": "text/html", ".svg": "image/svg+xml", ".xml": "application/atom+xml", ".json": "application/json" };
const asked = [];
const server = createServer((request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, "http://site").pathname));
  const file = join(folder, path.endsWith("/") ? path + "index.html" : path);
  asked.push(path);
  if (!existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": types[extname(file)] || "text/plain" }).end(readFileSync(file));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const served = `http://127.0.0.1:${server.address().port}`;
const reader = await startReader(executablePath);
const { test, open } = reader;

const listOf = (site) => JSON.parse(readFileSync(join(folder, site, "site.json"))).campaigns;
const newest = (site) => listOf(site).at(-1).id;
const changes = (site) => "changes/" + readdirSync(join(folder, site, "changes")).sort().at(-1);
const pagesOf = (site) => ["index.html", changes(site)];

test("from a web server or from disk no page asks for anything but itself, and its policy is alive", async () => {
  for (const from of [served, "file://" + folder]) {
    for (const page of pagesOf("hostile")) {
      const address = `${from}/hostile/${page}`;
      asked.length = 0;
      const reading = await open(address);
      await reading.page.evaluate(openEverything);
      await reading.page.mouse.wheel(0, 4000);
      assert.deepEqual(reading.seen.requests, [address]);
      assert.deepEqual(reading.seen.problems, []);
      assert.ok(asked.length === (from === served ? 1 : 0), asked.join(" "));
      assert.match(await refusedScript(reading.page), /script-src/);
      assert.doesNotMatch(await reading.page.title(), /owned/);
      assert.equal(await reading.page.locator("script").count(), 1, "the one that was refused");
      await reading.close();
    }
  }
});

test("hostile names, claims and outputs make the same elements as plain ones", async () => {
  for (const at of [0, 1]) {
    const counts = [];
    for (const site of ["hostile", "benign"]) {
      const reading = await open(`${served}/${site}/${pagesOf(site)[at]}`);
      counts.push(await reading.page.evaluate(elementCounts, ["#", newest(site), listOf(site)[0].id, "changes/", "feed.xml", "badge.svg", "site.json"]));
      const text = await reading.page.evaluate(() => document.documentElement.textContent);
      assert.doesNotMatch(text, /[\u0000-\u0008\u000b\u000e-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/, "what steers a terminal or the direction");
      if (site === "hostile" && at === 1) assert.match(text, /<script>document\.title='owned'<\/script>/);
      await reading.close();
    }
    assert.deepEqual(counts[0], counts[1]);
    assert.equal(counts[0]["foreign link"], undefined);
    for (const element of ["script", "img", "iframe", "form", "object", "link"]) assert.equal(counts[0][element], undefined, element);
  }
});

test("every link of the site leads to something that is there", async () => {
  for (const page of ["index.html", "latest/index.html", changes("gap")]) {
    const reading = await open(`file://${folder}/gap/${page}`, { javaScriptEnabled: false });
    const text = readFileSync(join(folder, "gap", page), "utf8");
    for (const [, address] of text.matchAll(/(?:href="|url=)([^"#][^"]*)"/g)) {
      assert.ok(existsSync(join(folder, "gap", dirname(page), address)), `${page} → ${address}`);
    }
    await reading.close();
  }
});

test("latest goes on to the newest report, and the report holds its own policy there", async () => {
  const reading = await open(`${served}/gap/latest/`);
  await reading.page.waitForURL(`**/gap/${newest("gap")}/report.html`);
  assert.match(await reading.page.title(), /PyBox campaign/);
  assert.deepEqual(reading.seen.problems, []);
  assert.ok(reading.seen.requests.every((each) => each.startsWith(served + "/gap/")));
  await reading.close();
});

test("the index tells the newest first, where the chain has gaps, and leads to reports and changes", async () => {
  const { page, close } = await open(`${served}/gap/index.html`);
  const rows = page.locator("#campaigns tbody tr");
  const ids = listOf("gap").map((each) => each.id);
  assert.equal(await rows.count(), 3);
  assert.deepEqual(await rows.locator("th a").allInnerTexts(), ids.toReversed());
  assert.equal(await rows.locator("td", { hasText: "⚠ gap:" }).count(), 2);
  assert.match(await page.locator("header").innerText(), /2 gaps in the chain/);
  assert.equal(await rows.last().getByText("changes").count(), 0, "the first has none before it");
  await rows.first().getByRole("link", { name: "changes" }).click();
  assert.match(await page.title(), /compared/);
  await page.goBack();
  await rows.first().locator("th a").click();
  assert.match(page.url(), new RegExp(`${ids.at(-1)}/report\\.html$`));
  await close();
});

test("badge and feed are well-formed, say what the campaign says, and load nothing", async () => {
  const { page, seen, close } = await open(`${served}/hostile/badge.svg`);
  assert.match(await page.evaluate(() => document.documentElement.getAttribute("aria-label")), /^campaign: broken/);
  const box = await page.evaluate(() => Array.from(document.querySelectorAll("text"), (each) => each.getBBox().x + each.getBBox().width));
  const width = await page.evaluate(() => document.documentElement.width.baseVal.value);
  assert.ok(box[0] < 74 && box[1] < width, "its words fit into it");
  assert.equal(seen.requests.length, 1);
  await close();
  const blank = await open("about:blank");
  const feed = await blank.page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, "application/xml");
    const texts = (name) => Array.from(parsed.getElementsByTagName(name), (each) => each.textContent);
    return { broken: parsed.querySelector("parsererror") !== null, titles: texts("title"), ids: texts("id"),
      links: Array.from(parsed.getElementsByTagName("link"), (each) => each.getAttribute("href")) };
  }, readFileSync(join(folder, "hostile/feed.xml"), "utf8"));
  assert.equal(feed.broken, false);
  assert.equal(feed.titles.length, 3);
  assert.equal(new Set(feed.ids).size, 3);
  for (const link of feed.links) assert.ok(existsSync(join(folder, "hostile", link)), link);
  await blank.close();
});

test("everything can be done with the keyboard", async () => {
  for (const address of pagesOf("hostile")) {
    const { page, close } = await open(`${served}/hostile/${address}`);
    const all = await page.locator("a[href], summary").count();
    const reached = new Set();
    for (let at = 0; at < all + 5; ++at) {
      await page.keyboard.press("Tab");
      const here = await page.evaluate(() => {
        const element = document.activeElement;
        const which = Array.from(document.querySelectorAll("a[href], summary")).indexOf(element);
        return { which, outline: getComputedStyle(element).outlineStyle };
      });
      if (here.which < 0) continue;
      reached.add(here.which);
      assert.notEqual(here.outline, "none", "one sees where one is");
    }
    assert.equal(reached.size, all);
    if (await page.locator("summary").count()) {
      await page.locator("summary").first().focus();
      await page.keyboard.press("Enter");
      assert.ok(await page.locator("details").first().evaluate((each) => each.open));
    }
    await close();
  }
});

test("without JavaScript a page reads the same", async () => {
  for (const address of pagesOf("hostile")) {
    const texts = [];
    for (const javaScriptEnabled of [true, false]) {
      const { page, close } = await open(`${served}/hostile/${address}`, { javaScriptEnabled });
      texts.push(await page.locator("body").innerText());
      await close();
    }
    assert.equal(texts[0], texts[1]);
  }
});

test("the page of a diff tells the environment first, then what got worse", async () => {
  const { page, close } = await open(`${served}/benign/${changes("benign")}`);
  assert.match(await page.locator("h1").innerText(), /Evidence was lost/);
  assert.deepEqual(await page.locator("main h2").allInnerTexts(), ["Environment and programs", "Checks", "Protections"]);
  const first = page.locator("#checks tbody tr").first();
  assert.match(await first.innerText(), /worse\s+time\.set@vm\s.*held.*broken.*protected: EPERM → reached/s);
  assert.match(await page.locator("#protections").innerText(), /sec\.time\s+proven → unproven/);
  await close();
});

test("texts have contrast in both themes, tables and headings have names, nothing is lost in print or a narrow window", async () => {
  for (const address of pagesOf("gap")) {
    for (const colorScheme of ["light", "dark"]) {
      const { page, close } = await open(`${served}/gap/${address}`, { colorScheme });
      await page.evaluate(openEverything);
      assert.deepEqual(await page.evaluate(lowContrast), [], address + colorScheme);
      assert.deepEqual(await page.evaluate(unnamed), []);
      assert.equal(await page.locator("h1").count(), 1);
      await close();
    }
    const { page, close } = await open(`${served}/hostile/${address === "index.html" ? address : changes("hostile")}`, { viewport: { width: 360, height: 800 } });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    await page.setViewportSize({ width: 700, height: 900 });  // A4 at the size print uses
    const cut = await page.evaluate(() => Array.from(document.querySelectorAll(".scroll"))
      .filter((each) => each.scrollWidth > 700).map((each) => each.textContent.slice(0, 80)));
    assert.deepEqual(cut, []);
    await close();
  }
});

async function takeShots() {
  mkdirSync(shots, { recursive: true });
  for (const [name, options] of [["light", { colorScheme: "light" }], ["dark", { colorScheme: "dark" }],
    ["narrow", { viewport: { width: 390, height: 1200 } }]]) {
    for (const [page, address] of [["site-index", "gap/index.html"], ["site-changes", "hostile/" + changes("hostile")]]) {
      const reading = await open(`${served}/${address}`, { viewport: { width: 1280, height: 1000 }, ...options });
      await reading.page.screenshot({ path: `${shots}/${name}-${page}.png`, fullPage: true });
      if (name === "light") await reading.page.pdf({ path: `${shots}/${page}.pdf`, preferCSSPageSize: true });
      await reading.close();
    }
  }
  const badge = await open(`${served}/gap/badge.svg`, { viewport: { width: 300, height: 30 } });
  await badge.page.screenshot({ path: `${shots}/badge.png` });
  await badge.close();
}

await reader.finish(async () => {
  if (shots) await takeShots();
  server.close();
});
