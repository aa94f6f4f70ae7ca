(() => {
  "use strict";
  const root = document.documentElement;
  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));
  const by = (id) => document.getElementById(id);
  root.classList.add("js");
  all(".js-only").forEach((element) => element.classList.remove("js-only"));

  // Theme: the system's, or one that was chosen. Storage may be forbidden for local files.
  const store = {
    get: () => { try { return localStorage.getItem("pybox-theme"); } catch { return null; } },
    set: (value) => { try { localStorage.setItem("pybox-theme", value); } catch { /* stays for this page */ } },
  };
  const themes = ["auto", "light", "dark"];
  let theme = themes.includes(store.get()) ? store.get() : "auto";
  const showTheme = () => {
    if (theme === "auto") root.removeAttribute("data-theme"); else root.setAttribute("data-theme", theme);
    by("theme").textContent = "Theme: " + theme;
  };
  by("theme").addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    store.set(theme);
    showTheme();
  });
  showTheme();

  // Filters. Their state stands in the address, so that a view can be sent on.
  const checks = all("details.check");
  const chips = all(".chip");
  const text = new Map(checks.map((check) => [check, check.textContent.toLowerCase()]));
  const area = by("area");
  const find = by("find");
  const pressed = (kind) => chips
    .filter((chip) => chip.dataset.filter === kind && chip.getAttribute("aria-pressed") === "true")
    .map((chip) => chip.dataset.value);
  const fits = (check, state) =>
    (state.status.length === 0 || state.status.includes(check.dataset.status)) &&
    (state.engine.length === 0 || state.engine.includes(check.dataset.engine)) &&
    (state.area === "" || state.area === check.dataset.area) &&
    state.words.every((word) => text.get(check).includes(word));
  const apply = () => {
    const state = {
      status: pressed("status"), engine: pressed("engine"), area: area.value,
      words: find.value.toLowerCase().split(/\s+/).filter(Boolean),
    };
    let shown = 0;
    checks.forEach((check) => {
      check.hidden = !fits(check, state);
      if (!check.hidden) shown += 1;
    });
    all(".group").forEach((group) => { group.hidden = !all("details.check", group).some((check) => !check.hidden); });
    by("shown").textContent = "Showing " + shown + " of " + checks.length + " checks";
    by("empty").hidden = shown !== 0;
    return state;
  };
  const write = () => {
    const state = apply();
    const parts = new URLSearchParams();
    if (state.status.length) parts.set("status", state.status.join(","));
    if (state.engine.length) parts.set("engine", state.engine.join(","));
    if (state.area) parts.set("area", state.area);
    if (find.value.trim()) parts.set("q", find.value.trim());
    const hash = parts.toString().replaceAll("%2C", ",");
    history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search);
  };
  const clear = () => {
    chips.forEach((chip) => chip.setAttribute("aria-pressed", "false"));
    area.value = "";
    find.value = "";
  };
  // The address names a view ("status=broken") or a place on the page ("check-net.loopback_vm").
  const read = () => {
    const hash = location.hash.slice(1);
    clear();
    if (hash.includes("=")) {
      const parts = new URLSearchParams(hash);
      for (const kind of ["status", "engine"]) {
        const wanted = (parts.get(kind) || "").split(",");
        chips.filter((chip) => chip.dataset.filter === kind && wanted.includes(chip.dataset.value))
          .forEach((chip) => chip.setAttribute("aria-pressed", "true"));
      }
      area.value = parts.get("area") || "";
      if (area.selectedIndex < 0) area.value = "";
      find.value = parts.get("q") || "";
    }
    apply();
    const place = hash && !hash.includes("=") ? by(decodeURIComponent(hash)) : null;
    if (place && place.matches("details.check")) {
      place.open = true;
      place.scrollIntoView();
    }
  };
  chips.forEach((chip) => chip.addEventListener("click", () => {
    chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
    write();
  }));
  area.addEventListener("change", write);
  find.addEventListener("input", write);
  by("reset").addEventListener("click", () => { clear(); write(); });
  by("fold").addEventListener("click", (event) => {
    const open = event.target.textContent === "Open all";
    checks.forEach((check) => { if (!check.hidden) check.open = open; });
    event.target.textContent = open ? "Close all" : "Open all";
  });
  addEventListener("hashchange", read);
  read();

  // Keys: "/" to the search field, j and k from check to check, Escape empties the search.
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "Escape" && event.target === find) {
      find.value = "";
      write();
    } else if (event.key === "/" && !typing) {
      event.preventDefault();
      find.focus();
    } else if ((event.key === "j" || event.key === "k") && !typing) {
      const shown = checks.filter((check) => !check.hidden).map((check) => check.querySelector("summary"));
      const here = shown.indexOf(document.activeElement);
      const next = shown[event.key === "j" ? here + 1 : Math.max(here - 1, 0)];
      if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
    }
  });

  all(".copy").forEach((button) => button.addEventListener("click", async () => {
    const command = button.parentElement.querySelector("code");
    let done = false;
    try {
      await navigator.clipboard.writeText(command.textContent);
      done = true;
    } catch {
      const range = document.createRange();
      range.selectNodeContents(command);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      done = document.execCommand("copy");
    }
    button.textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }));

  addEventListener("beforeprint", () => {
    checks.forEach((check) => { if (!["held", "not-applicable"].includes(check.dataset.status)) check.open = true; });
  });
})();
