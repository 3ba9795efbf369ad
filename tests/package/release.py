"""The archive of a release: whole, the same bytes each time, and refused from a tree with changes."""
import glob, json, os, shutil, subprocess, sys, tarfile, tempfile

MADE = {"amalgamation/nczarr.c", "amalgamation/nczarr.h"}  # packed, and not committed

def run(*cmd, **kw):
    return subprocess.run(cmd, capture_output=True, text=True, **kw)


def read_files(folder):
    content = {}
    for path in glob.glob(os.path.join(folder, "*")):
        with open(path, "rb") as f:
            content[os.path.basename(path)] = f.read()
    return content


def compare_with_commit(archive, tree):
    """The archive has the files of the commit under one folder, in order, with one owner and one date."""
    with tarfile.open(archive) as tar:
        members = tar.getmembers()
    top = os.path.basename(archive)[:-len(".tar.gz")] + "/"
    names = [m.name for m in members]
    committed = set(run("git", "-C", tree, "ls-files", "-z").stdout.rstrip("\0").split("\0"))
    packed = {m.name[len(top):] for m in members if not m.isdir()}
    bad = ["packed or committed alone: %s" % n for n in sorted(committed ^ (packed - MADE)) + sorted(MADE - packed)]
    bad += ["not in %s: %s" % (top, n) for n in names if not n.startswith(top)]
    bad += [] if names == sorted(names) else ["its files are not in order"]
    wrong = [m.name for m in members if (m.uid, m.gid, m.uname, m.gname, m.mtime) != (0, 0, "", "", 1000000000)]
    bad += ["owner or date of %s" % n for n in wrong]
    bad += ["mode of %s" % m.name for m in members if m.mode != (0o755 if m.isdir() or m.mode & 0o100 else 0o644)]
    if "dev" not in packed or not next(m for m in members if m.name == top + "dev").mode & 0o100:
        bad.append("./dev cannot be run")
    return bad


def vouching(tree):
    """What ./dev release says of a commit of which --all found this and that."""
    def ask(expression):
        code = "import sys; sys.path.insert(0, 'tests/suites'); import parts, record; print(*%s, sep='\\n')" % expression
        return run(sys.executable, "-B", "-c", code, cwd=tree).stdout.strip().splitlines()

    def commit(path, more):
        with open(os.path.join(tree, path), "a", encoding="utf-8") as f:
            f.write(more)
        run("git", "-C", tree, "add", path)
        run("git", "-C", tree, "-c", "user.name=nobody", "-c", "user.email=", "commit", "-q", "-m", "changed")

    def good(**more):
        return {name: dict({"commit": head, "passed": 1, "failed": 0, "left_out": []}, **more.get(name, {})) for name in names}

    head, names, bad = run("git", "-C", tree, "rev-parse", "HEAD").stdout.strip(), ask("(p.name for p in parts.PARTS)"), []
    text = {"check", "package", "docs"}  # they read the text of the whole tree
    os.mkdir(os.path.join(tree, "build"))
    kept = os.path.join(tree, "tests", "suites", "tested.json")
    with open(kept, "w", encoding="utf-8") as f:
        f.write("{}")
    for told, change, expected in (
        ({}, None, ["--all %s has not passed" % name for name in names]),
        ({name: part for name, part in good().items() if name != "fuzz"}, None, ["--all fuzz has not passed"]),
        (good(hdf4={"commit": "0" * 40}), None, ["--all hdf4 passed with another commit"]),
        (good(musl={"left_out": ["no compiler"]}), None, ["--all musl: left out: no compiler"]),
        (good(s3={"failed": 2}), None, ["--all s3: 2 failed"]),
        (good(), None, []),
        (good(), ("tests/suites/tested.json", "\n"), []),
        (good(), ("CHANGELOG.md", "\n"), ["%s: CHANGELOG.md has changed" % name for name in names if name in text]),
        (good(), ("src/util/alloc.c", "\n/* x */\t// \"\n"), ["%s: " % name for name in names if name in text]),
        (good(), ("packaging/spack/package.py", "\n"), ["%s: " % name for name in names if name in text | {"packages"}]),
        (good(), ("tests/mpi/run", "\n"), ["%s: " % name for name in names if name in text | {"packages", "fortran", "programs", "mpi"}]),
        (good(), ("src/util/alloc.c", "int x;\n"), ["%s: " % name for name in names]),
        ({}, None, ["--all %s has not passed" % name for name in names]),
    ):
        if change is not None:
            commit(*change)
        with open(os.path.join(tree, "build", "tested-all.json"), "w", encoding="utf-8") as f:
            json.dump({"parts": told}, f)
        said = ask("record.problems('.')")
        if len(said) != len(expected) or any(e not in s for e, s in zip(expected, said)):
            bad.append("./dev release says %s, not %s" % (said, expected))
    said = ask("(record.write('.', {'a': 1}), record.write('.', {'b': 2}), record.write('.', {'b': 3}), sorted(record.known('.').items())[-2:])[3]")
    if said != ["('a', 1)", "('b', 3)"]:
        bad.append("what parts found is not added up: %s" % said)
    run("git", "-C", tree, "reset", "-q", "--hard", head)
    shutil.rmtree(os.path.join(tree, "build"))
    return bad


def problems(root):
    """All complaints; none: the release is in order."""
    tmp, bad = tempfile.mkdtemp(), []
    try:
        tree = os.path.join(tmp, "tree")
        r = run("git", "clone", "-q", "--shared", root, tree)
        if r.returncode != 0:
            return [r.stderr[-400:]]
        program = [sys.executable, os.path.join(root, "packaging", "release.py"), tree]
        env = dict(os.environ, SOURCE_DATE_EPOCH="1000000000")
        for name, mask, check in (("one", "022", os.environ.get("NCZARR_TEST_ALL")), ("two", "077", None)):
            words = program + [os.path.join(tmp, name)] + (["--check"] if check else [])
            r = run("sh", "-c", 'umask %s && exec "$@"' % mask, "sh", *words, env=env)
            if r.returncode != 0:
                return [r.stderr[-600:]]
        archive = r.stdout.strip()
        if read_files(os.path.join(tmp, "one")) != read_files(os.path.join(tmp, "two")):
            bad.append("made twice, it is not the same")
        if len(read_files(os.path.join(tmp, "two"))) != 3:
            bad.append("there are not three files")
        if run("sha256sum", "-c", archive.replace(".tar.gz", ".sha256"), cwd=os.path.join(tmp, "two")).returncode != 0:
            bad.append("the sums are wrong")
        bad += compare_with_commit(archive, tree)
        bad += vouching(tree)
        with open(os.path.join(tree, "README.md"), "a") as f:
            f.write("changed\n")
        r = run(*program, os.path.join(tmp, "three"), env=env)
        if r.returncode == 0 or "README.md" not in r.stderr or os.path.exists(os.path.join(tmp, "three")):
            bad.append("a tree with changes is not refused")
        run("git", "-C", tree, "checkout", "-q", "README.md")
        r = run(*program, os.path.join(tmp, "three"), env=dict(os.environ, SOURCE_DATE_EPOCH="soon"))
        if r.returncode == 0 or "SOURCE_DATE_EPOCH" not in r.stderr:
            bad.append("a time that is no number is taken")
    finally:
        shutil.rmtree(tmp)
    return bad
