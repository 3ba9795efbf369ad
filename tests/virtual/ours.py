"""What the scripts of this folder share: the commands, and values as they have them beside those of others."""
import json, math, os, subprocess

FILLS = {"float": 9.969209968386869e36, "double": 9.969209968386869e36, "int": -2147483647, "short": -32767}


class Tools:
    def __init__(self, build):
        self.build = os.path.abspath(build)

    def run(self, name, *arguments):
        r = subprocess.run([os.path.join(self.build, "tools", name), *arguments], capture_output=True, text=True)
        return r.returncode, r.stdout, r.stderr.strip()

    def variable(self, path, name):
        """A variable as nczdump has it in JSON, or a text that says why there is none."""
        code, text, message = self.run("nczdump", "--json", "-v", name, path)
        if code != 0:
            return message
        node, parts = json.loads(text), name.split("/")
        for part in parts[:-1]:
            node = node["groups"][part]
        return node["variables"][parts[-1]]

    def compare(self, path, name, want):
        """None if the variable has these values; missing ones are None in `want`."""
        v, want = self.variable(path, name), flat(want)
        if isinstance(v, str):
            return "%s: %s" % (name, v)
        got, fill = flat(v["data"]), v.get("attributes", {}).get("_FillValue", {"value": FILLS.get(v["type"])})["value"]
        if len(got) != len(want) or not all(same(a, fill if b is None else b) for a, b in zip(got, want)):
            return "%s: %s, wanted %s" % (name, str(got)[:200], str(want)[:200])
        return None

    def compare_all(self, path, want):
        return [p for p in (self.compare(path, name, value) for name, value in want.items()) if p]


def flat(value):
    return [x for item in value for x in flat(item)] if isinstance(value, list) else [value]


def same(a, b):
    return a == b or (isinstance(a, (int, float)) and isinstance(b, (int, float)) and
                      (math.isclose(a, b, rel_tol=1e-6) or (math.isnan(a) and math.isnan(b))))
