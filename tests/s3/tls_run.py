#!/usr/bin/env python3
"""Encrypted connections: the right certificate is taken, every wrong one refused before a single request goes out; and
nothing leads from there to plain text. Ends with `N passed, N failed`. usage: tls_run.py BUILD_DIR"""
import os, shutil, ssl, subprocess, sys, tempfile

import tls
from chaos import KEY_ID, SECRET, Bucket, Server
from faults import Plan

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases
from cases import report

DATASET = {".zgroup": b'{"zarr_format": 2}', ".zattrs": b'{"title": "kept safe"}',
           ".zmetadata": b'{"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}, ".zattrs": {"title": "kept safe"}}}'}


class Place:
    """A server that speaks TLS as it is told, with a dataset in it."""

    def __init__(self, certificate=None, plan=None):
        self.server = Server(certificate)
        self.bucket = self.server.add(Bucket("vault", plan=plan))
        for key, data in DATASET.items():
            self.bucket.load("safe.zarr/" + key, data)

    def url(self, host="127.0.0.1", scheme=None):
        own, _, port = self.server.url.rpartition(":")
        return "%s://%s:%s/vault/safe.zarr#mode=s3" % (scheme or own.split(":")[0], host, port)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.server.stop()


class Client:
    def __init__(self, build, home):
        self.dump, self.home = os.path.join(build, "tools", "nczdump"), home

    def run(self, url, **env):
        e = {n: v for n, v in os.environ.items() if not n.startswith(("AWS_", "SSL_", "CURL_")) and not n.lower().endswith("_proxy")}
        e.update(HOME=self.home, AWS_ACCESS_KEY_ID=KEY_ID, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION="us-east-1", AWS_MAX_ATTEMPTS="2", **env)
        return subprocess.run([self.dump, "-h", url], capture_output=True, text=True, env=e, timeout=120)

    def accepts(self, name, place, url=None, **env):
        r = self.run(url or place.url(), **env)
        report(name, [] if r.returncode == 0 and "kept safe" in r.stdout else [r.stderr])

    def refuses(self, name, place, url=None, words=(), **env):
        r = self.run(url or place.url(), **env)
        problems = ["it read the dataset"] if r.returncode == 0 else []
        problems += ["the server saw %s %s" % (e["method"], e["key"]) for e in place.bucket.log]
        problems += ["does not say %s: %s" % (" or ".join(words), r.stderr)] if words and not any(w in r.stderr.lower() for w in words) else []
        problems += ["it tells the secret"] if SECRET in r.stdout + r.stderr else []
        report(name, problems)


def main():
    tmp = tempfile.mkdtemp(prefix="nczarr-tls-")
    client = Client(os.path.abspath(sys.argv[1]), tmp)
    authority, other = tls.Authority(tmp), tls.Authority(tmp, "another CA")
    good = authority.issue("good")
    trusted = {"AWS_CA_BUNDLE": authority.file}
    words = ("certificate", "ssl", "tls")
    with Place(good) as p:
        client.accepts("a good certificate, AWS_CA_BUNDLE", p, **trusted)
        client.accepts("a good certificate, CURL_CA_BUNDLE", p, CURL_CA_BUNDLE=authority.file)
        client.accepts("a good certificate, SSL_CERT_FILE", p, SSL_CERT_FILE=authority.file)
        client.accepts("AWS_CA_BUNDLE goes before others", p, **trusted, SSL_CERT_FILE=other.file)
        client.accepts("by name", p, p.url("localhost"), **trusted)
        os.makedirs(os.path.join(tmp, ".aws"))
        with open(os.path.join(tmp, ".aws", "config"), "w") as f:
            f.write("[default]\nca_bundle = %s\n" % authority.file)
        client.accepts("a good certificate, ca_bundle of the profile", p)
        shutil.rmtree(os.path.join(tmp, ".aws"))
        # The same place as a web server's: the same trust, and no credentials.
        p.bucket.public, web = True, p.url().replace("#mode=s3", "")
        p.bucket.signatures.clear()
        for variable in ("AWS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
            client.accepts("a web server, %s" % variable, p, web, **{variable: authority.file})
        for key in ("HTTP.SSL.CAINFO=%s" % authority.file, "[%s]HTTP.SSL.CAINFO=%s" % (p.server.url, authority.file)):
            with open(os.path.join(tmp, ".ncrc"), "w") as f:
                f.write(key + "\n")
            client.accepts("a web server, %s in .ncrc" % key.split("=")[0], p, web)
        os.remove(os.path.join(tmp, ".ncrc"))
        report("a web server gets no credentials", sorted(p.bucket.signatures))
        p.bucket.log.clear()
        client.refuses("a web server, an authority that is not known", p, web, words=words)
        client.refuses("a web server, another authority", p, web, words=words, AWS_CA_BUNDLE=other.file)
        p.bucket.public = False
        p.bucket.log.clear()
        client.refuses("an authority that is not known", p, words=words)
        client.refuses("another authority", p, words=words, AWS_CA_BUNDLE=other.file)
        client.refuses("a bundle that is not there", p, words=("no-such-file",), AWS_CA_BUNDLE=os.path.join(tmp, "no-such-file.pem"))
        client.refuses("plain text to a port that speaks TLS", p, p.url(scheme="http"), **trusted)
        with open(os.path.join(tmp, ".ncrc"), "w") as f: # what turns checks off elsewhere turns nothing off here
            f.write("HTTP.SSL.VALIDATE=0\nHTTP.SSL.VERIFYPEER=0\n")
        client.refuses("HTTP.SSL.VALIDATE=0 in .ncrc", p, words=words)
        os.remove(os.path.join(tmp, ".ncrc"))
        with open(os.path.join(tmp, ".curlrc"), "w") as f:
            f.write("insecure\n")
        client.refuses("insecure in .curlrc", p, words=words)
        os.remove(os.path.join(tmp, ".curlrc"))
    for name, certificate in (
            ("expired", authority.issue("expired", before=-9, after=-2)),
            ("not yet valid", authority.issue("early", before=2, after=9)),
            ("for another host", authority.issue("other-host", hosts=("example.org",), addresses=())),
            ("for another address", authority.issue("other-address", addresses=("127.0.0.9",))),
            ("for a name that this one only begins like", authority.issue("suffix", hosts=("localhost.example.org",), addresses=())),
            ("signed by itself", tls.Authority(tmp, "self signed").issue("self"))):
        with Place(certificate) as p:
            client.refuses("a certificate %s" % name, p, words=words, **trusted)
            client.refuses("a certificate %s, by name" % name, p, p.url("localhost"), words=words, **trusted) if name != "for another address" else None
    # Encrypted at first, plain text then.
    plan = Plan(1, 1.0, most=10**6, only=["to-plain-text"])
    with Place() as plain, Place(good, plan=plan) as p:
        plan.plain_text, p.bucket.public, plain.bucket.public = plain.server.url, True, True
        r = client.run(p.url(), **trusted)
        report("a redirect to plain text", (["it read the dataset"] if r.returncode == 0 else []) +
               ["%s %s in plain text" % (e["method"], e["key"]) for e in plain.bucket.log])
        r = client.run(p.url().replace("#mode=s3", ""), **trusted) # as a web server's
        report("a redirect to plain text, of a web server", (["it read the dataset"] if r.returncode == 0 else []) +
               ["%s %s in plain text" % (e["method"], e["key"]) for e in plain.bucket.log])
    with Place() as p: # the other way round: https to a port that does not speak it
        client.refuses("TLS to a port that speaks plain text", p, p.url(scheme="https"), **trusted)
    for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
        with Place(good) as p:
            if p.server.only(version):
                client.refuses("nothing newer than %s" % version.name, p, words=words, **trusted)
    shutil.rmtree(tmp)
    sys.exit(cases.total())


main()
