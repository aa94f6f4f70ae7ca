"""The picture of the house as SVG: no clock, no font of its own, readable on light and dark pages."""

from house import LANES, ROOM_WIDTH, WIDTH, Layout, lane_of

TOP, FLOOR, ROOM_HEIGHT, BOTTOM = 76, 84, 42, 20

STYLE = """
  text { font-family: system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: var(--ink) }
  .page { fill: var(--page) }
  .lane { fill: var(--lane) }
  .title { font-size: 16px; font-weight: 600 }
  .said, .lines { font-size: 12px; font-weight: 400; fill: var(--pale) }
  .name { font-size: 12.2px; font-weight: 600 }
  .room { fill: var(--face); stroke: var(--edge); stroke-width: 1.4 }
  .arrow { fill: none; stroke: var(--edge); stroke-width: 1.4 }
  .head { fill: var(--edge) }
  svg { --ink: #1c2733; --pale: #566370; --page: #ffffff; --lane: #f3f5f8 }
  .runtime { --face: #e3effb; --edge: #3b78b5 } .campaign { --face: #fdebd8; --edge: #c0701c }
  .replay { --face: #efe6fa; --edge: #8257b8 } .reports { --face: #e0f3e6; --edge: #37905a }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e6edf3; --pale: #a3b0bd; --page: #0d1117; --lane: #161c25 }
    .runtime { --face: #14304d; --edge: #5a9bdc } .campaign { --face: #452a10; --edge: #e0954a }
    .replay { --face: #33234a; --edge: #a988d8 } .reports { --face: #143a24; --edge: #56b67c }
  }"""


def about(lines):
    """Two digits are enough for a reader, and do not change with every edit."""
    step = 10 ** max(0, len(str(lines)) - 2)
    return f"{(lines + step // 2) // step * step:,}"


def shown(room):
    """Its name in its lane; of a room inside a room the outer one small."""
    outer, _, name = room.rpartition("/")
    return name if outer in LANES or not outer else f'<tspan class="said">{outer}/</tspan>{name}'


def picture(house):
    layout = Layout(house)
    height = TOP + FLOOR * len(layout.floors) + BOTTOM
    middle = {node: TOP + FLOOR * (len(layout.floors) - 1 - row) + FLOOR / 2 for node, row in layout.row.items()}
    parts = [_head(height)]
    for lane, (left, right) in LANES.items():
        total = sum(lines for room, lines in house.lines.items() if lane_of(room) == lane)
        parts.append(f'<rect class="lane" x="{left + 6}" y="48" width="{right - left - 12}" '
                     f'height="{height - 60}" rx="10"/>')
        parts.append(f'<text class="title" x="{(left + right) // 2}" y="70" text-anchor="middle">{lane} '
                     f'<tspan class="said">{about(total)}</tspan></text>')
    parts += _arrows(layout, middle)
    for room in sorted(house.arrows):
        parts.append(_room(room, layout.x[room], middle[room], house.lines[room]))
    return "\n".join(parts) + "\n</svg>\n"


def _head(height):
    heads = "".join(
        f'<marker id="{lane}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6.5" markerHeight="6.5" orient="auto">'
        f'<path class="head {lane}" d="M0 0.6 8 4 0 7.4z"/></marker>'
        for lane in LANES)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            f'aria-label="The rooms of PyBox and which includes which">\n<style>{STYLE}\n</style>\n<defs>{heads}</defs>\n'
            f'<rect class="page" width="{WIDTH}" height="{height}" rx="12"/>\n'
            f'<text class="said" x="14" y="30">A room may use what its arrows lead to, and all that is reached from there. '
            f'Numbers: lines of C++ without tests.</text>')


def _room(room, x, y, lines):
    left, top = x - ROOM_WIDTH / 2, y - ROOM_HEIGHT / 2
    return (f'<g id="{room}" data-lines="{lines}"><rect class="room {lane_of(room)}" x="{left:.1f}" y="{top:.1f}" '
            f'width="{ROOM_WIDTH}" height="{ROOM_HEIGHT}" rx="6"/><text class="name" x="{x:.1f}" y="{y - 2:.1f}" '
            f'text-anchor="middle">{shown(room)}</text><text class="lines" x="{x:.1f}" y="{y + 13:.1f}" '
            f'text-anchor="middle">{about(lines)}</text></g>')


def _ports(layout, ends, at, other):
    """Where arrows meet the edge of a room: side by side, in the order in which they come."""
    ports = {}
    for room in layout.row:
        mine = sorted((edge for edge in layout.chains if edge[at] == room),
                      key=lambda edge: (layout.x[layout.chains[edge][other]], edge))
        step = min(14, (ROOM_WIDTH - 20) / max(1, len(mine) - 1))
        for i, edge in enumerate(mine):
            ports[edge] = layout.x[room] + (i - (len(mine) - 1) / 2) * step
    return ports


def _arrows(layout, middle):
    outward, inward = _ports(layout, 0, 0, 1), _ports(layout, 1, 1, -2)
    for edge, chain in sorted(layout.chains.items()):
        x = [outward[edge], *(layout.x[bend] for bend in chain[1:-1]), inward[edge]]
        y = [middle[chain[0]] + ROOM_HEIGHT / 2, *(middle[bend] for bend in chain[1:-1]),
             middle[chain[-1]] - ROOM_HEIGHT / 2 - 1]
        path = f"M{x[0]:.1f} {y[0]:.1f}"
        for i in range(len(x) - 1):
            # Straight down beside a row of rooms, and over between two rows.
            start = y[i] + (ROOM_HEIGHT / 2 if i > 0 else 0)
            end = y[i + 1] - (ROOM_HEIGHT / 2 if i + 1 < len(x) - 1 else 0)
            half = (start + end) / 2
            path += f"V{start:.1f}C{x[i]:.1f} {half:.1f} {x[i + 1]:.1f} {half:.1f} {x[i + 1]:.1f} {end:.1f}"
        lane = lane_of(edge[0])
        yield f'<path class="arrow {lane}" marker-end="url(#{lane})" d="{path}"/>'
