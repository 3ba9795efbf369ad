"""A picture of nczdump --plot, read back from its SVG: texts with the boxes they take, cells with their places in the
palette, lines; and PNG, as pictures and pages have it."""
import base64, re, struct, xml.etree.ElementTree as xml, zlib

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"


def read_png(data):
    """Rows of bytes, bytes a pixel, and the palette."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    at, parts = 8, {}
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0]
        parts[kind] = parts.get(kind, b"") + body
        at += 12 + n
    width, height, depth, color = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    assert depth == 8 and color in (2, 3, 6)
    size = {2: 3, 3: 1, 6: 4}[color]
    raw, rows, above = zlib.decompress(parts[b"IDAT"]), [], bytearray(width * size)
    for y in range(height):
        kind, line = raw[y * (width * size + 1)], bytearray(raw[y * (width * size + 1) + 1:(y + 1) * (width * size + 1)])
        for i in range(len(line) if kind else 0):
            left, up, corner = line[i - size] if i >= size else 0, above[i], above[i - size] if i >= size else 0
            guess = left + up - corner
            line[i] = (line[i] + (left, up, (left + up) // 2, min((left, up, corner), key=lambda v: abs(guess - v)))[kind - 1]) & 255
        rows.append(line)
        above = line
    palette = parts.get(b"PLTE", b"")
    return rows, size, [tuple(palette[i:i + 3]) for i in range(0, len(palette), 3)]


def pixels(data):
    """Rows of (r, g, b)."""
    rows, size, palette = read_png(data)
    return [[palette[p] for p in row] if size == 1 else [tuple(row[i:i + 3]) for i in range(0, len(row), size)] for row in rows]


def points(path):
    """Of a path of SVG: its lines, each a list of places."""
    found = []
    for part in path.split("M")[1:]:
        numbers = [float(n) for n in re.findall(r"-?[0-9.]+(?:e[-+]?\d+)?", part)]
        x, y = numbers[:2]
        line = [(x, y)]
        for dx, dy in zip(numbers[2::2], numbers[3::2]):
            x, y = x + dx, y + dy
            line.append((x, y))
        found.append(line)
    return found


class Picture:
    def __init__(self, text):
        self.root = xml.fromstring(text)
        self.view = [float(n) for n in self.root.get("viewBox").split()]
        self.size = int(self.root.get("width")), int(self.root.get("height"))
        self.name = self.root.find(SVG + "title").text
        self.style = self.root.find(SVG + "style").text
        self.texts = list(self.root.iter(SVG + "text"))
        self.words = [t.text for t in self.texts]
        self.images = [(tuple(float(i.get(k)) for k in ("x", "y", "width", "height")), i.get(LINK)) for i in self.root.iter(SVG + "image")]
        self.clip = self.root.find(SVG + "svg")
        self.box = tuple(float(self.clip.get(k)) for k in ("x", "y", "width", "height")) # of the data

    def cells(self):
        """Of the data: rows of places in the palette, 0 for missing values; and the palette."""
        rows, _, palette = read_png(base64.b64decode(self.clip.find(SVG + "image").get(LINK).partition("base64,")[2]))
        return [list(r) for r in rows], palette

    def lines(self):
        """Of the data: what is drawn over the cells, in parts of the box: (dotted, [points of a line])."""
        found = []
        for path in self.clip.iter(SVG + "path"):
            if path.get("stroke") is None:
                continue
            found += [(path.get("stroke-dasharray") is not None, self.parts(line)) for line in points(path.get("d"))]
        return found

    def bands(self):
        """Of a line: areas from the greatest to the least values, each a list of points in parts of the box."""
        paths = [p for p in self.clip.iter(SVG + "path") if p.get("stroke") is None and p.get("opacity")]
        return [self.parts(line) for path in paths for line in points(path.get("d"))]

    def parts(self, line):
        return [((x - self.box[0]) / self.box[2], (y - self.box[1]) / self.box[3]) for x, y in line]

    def ticks(self, side):
        """Labels of an axis: (text, where it is along the side)."""
        left, top, width, height = self.box
        lines = [line for p in self.root.findall(SVG + "path") for line in points(p.get("d"))]
        marks = [(*line[0], *line[1]) for line in lines if len(line) == 2]
        found = []
        for x0, y0, x1, y1 in marks:
            if side == "x" and x0 == x1 and abs(y0 - top - height) < 0.1 and y1 - y0 > 4:
                label = [t for t in self.texts if t.get("text-anchor") == "middle" and 0 < float(t.get("y")) - y1 < 16 and t.get("transform") is None]
                text = min(label, key=lambda t: abs(float(t.get("x")) - x0))
                found.append((text.text, (x0 - left) / width))
            if side == "y" and y0 == y1 and abs(x1 - left) < 0.1 and x0 < left:
                text = min((t for t in self.texts if t.get("text-anchor") == "end" and float(t.get("x")) < left), key=lambda t: abs(float(t.get("y")) - y0))
                found.append((text.text, (y0 - top) / height))
        return found
