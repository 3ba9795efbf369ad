"""Writes S3's documents as different servers write them: the same meaning, other spacing, order and escapes."""
import contextlib, random


class Style:
    """Drawn from a seed. Plain where `odd` is false."""

    def __init__(self, seed):
        self.r = random.Random("xml %s" % seed)
        self.breaks = self.r.random() < 0.5
        self.declaration = self.r.choice(['<?xml version="1.0" encoding="UTF-8"?>', "<?xml version='1.0'?>\n\n", "",
                                          "\ufeff<?xml version=\"1.0\"?>\r\n"])
        self.unknown = self.r.random() < 0.5
        self.comments = self.r.random() < 0.3
        self.cdata = self.r.random() < 0.3
        self.numeric = self.r.random() < 0.4
        self.shuffled = self.r.random() < 0.5
        self.attributes = self.r.random() < 0.3


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


class Writer:
    def __init__(self, style=None):
        self.style, self.out = style, [style.declaration if style else '<?xml version="1.0" encoding="UTF-8"?>\n']

    def text(self, s):
        st = self.style
        if st is None or not s:
            return escape(s)
        if st.cdata and "]]>" not in s and st.r.random() < 0.3:
            return "<![CDATA[%s]]>" % s
        if st.numeric:
            return "".join(("&#%d;" % ord(c) if st.r.random() < 0.5 else "&#x%X;" % ord(c)) if st.r.random() < 0.2 and ord(c) < 0xD800
                           else escape(c) for c in s)
        return escape(s)

    def gap(self):
        st = self.style
        if st is None:
            return
        if st.breaks:
            self.out.append(st.r.choice(["\n", "\n  ", "\r\n\t", " ", ""]))
        if st.comments and st.r.random() < 0.2:
            self.out.append("<!-- <Key>not this</Key> -->")
        if st.unknown and st.r.random() < 0.2:
            self.out.append(st.r.choice(["<Unknown/>", "<Owner><ID>7</ID><DisplayName>x</DisplayName></Owner>", "<New a='1'>x</New>",
                                         "<Empty></Empty>"]))

    @contextlib.contextmanager
    def element(self, name, xmlns=None):
        self.out.append("<%s%s>" % (name, ' xmlns="%s"' % xmlns if xmlns else ""))
        yield
        self.gap()
        self.out.append("</%s>" % name)

    def record(self, name, **fields):
        """Fields as elements, within an element `name` unless that is None."""
        self.gap()
        items = list(fields.items())
        if self.style and self.style.shuffled:
            self.style.r.shuffle(items)
        if name:
            self.out.append("<%s>" % name)
        for field, value in items:
            self.gap()
            space = " " if self.style and self.style.attributes else ""
            if value == "" and self.style and self.style.r.random() < 0.5:
                self.out.append("<%s%s/>" % (field, space))
            else:
                self.out.append("<%s%s>%s</%s%s>" % (field, space, self.text(value), field, space))
        if name:
            self.out.append("</%s>" % name)

    def bytes(self):
        return "".join(self.out).encode("utf-8", "surrogateescape")
