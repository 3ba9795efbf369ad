#!/usr/bin/env python3
"""Who signs, for which region, and where to: a table of environments, files and URLs against what a bucket then sees;
ends with `N passed, N failed`. usage: creds_run.py BUILD_DIR [WORD]     WORD: only cases whose name has it

Each case has a home of its own. nczdump reads a dataset from a bucket that knows every key there is in the table and notes
which one signed; services that hand out keys stand on loopback. Nothing that is printed may hold a secret.
"""
import hashlib, json, os, re, shutil, stat, subprocess, sys, tempfile

from chaos import Bucket, Server
from standins import StandIns, in_seconds, keys_of

passed = failed = 0
AT = "s3://creds/set.zarr#aws.endpoint={ENDPOINT}"
ZATTRS = b'{"title": "found it"}'
DATASET = {".zgroup": b'{"zarr_format": 2}', ".zattrs": ZATTRS,
           ".zmetadata": b'{"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}, ".zattrs": %s}}' % ZATTRS}
SECRETS = set()


def plain(name):
    """A long-lived pair for files and the environment: (id, secret)."""
    tail = hashlib.sha256(name.encode()).hexdigest()[:12].upper()
    return "AKIA" + tail, "pLaInCaNaRy/%s+%s=;#" % (name.replace(" ", "/"), tail)


def entry(name, token=None):
    text = "aws_access_key_id = %s\naws_secret_access_key = %s\n" % plain(name)
    return text + ("aws_session_token = %s\n" % token if token else "")


def env_keys(name, token=None):
    e = dict(zip(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), plain(name)))
    return dict(e, AWS_SESSION_TOKEN=token) if token else e


TOKEN = "tOkEnCaNaRy[with]=all/that+is==awkward"
TOKENS = {"token": TOKEN}
PLAIN = ("env", "default", "work", "other", "source", "token", "given", "two words", "netcdf")


class World:
    def __init__(self, build):
        self.dump, self.gen = os.path.join(build, "tools", "nczdump"), os.path.join(build, "tools", "nczgen")
        self.server, self.services = Server(), StandIns()
        self.keys = {}
        for name in PLAIN:
            key_id, secret = plain(name)
            self.keys[key_id] = (secret, TOKENS.get(name))
        self.services.callers.update(self.keys)
        for source in ("container", "machine:v1", "machine:v2", "web:reader", "sso:123456789012:Reader", "process", "process 2",
                       "role:reader:by:" + plain("source")[0], "role:reader:by:" + plain("env")[0], "role:reader:by:" + keys_of("container")[0],
                       "role:reader:by:" + keys_of("machine:v2")[0], "role:second:by:" + keys_of("role:first:by:" + plain("source")[0])[0],
                       "role:reader:by:" + plain("work")[0]):
            key_id, secret, token = keys_of(source)
            self.keys[key_id] = (secret, token)
        for source in ("container", "machine:v2"):
            self.services.callers[keys_of(source)[0]] = keys_of(source)[1:]
        SECRETS.update(s for pair in self.keys.values() for s in pair if s)
        self.name_of = {plain(n)[0]: n for n in PLAIN}

    def signer(self, key_id):
        return key_id and self.name_of.get(key_id, key_id)


def scope_region(e):
    m = re.search(r"Credential=[^/]+/\d+/([^/]+)/s3/", e["headers"].get("authorization", ""))
    return m and m.group(1)


def run_case(world, case):
    """Problems of one case."""
    home = tempfile.mkdtemp(prefix="nczarr-creds-")
    world.services.reset()
    for name, value in case.get("services", {}).items():
        setattr(world.services, name, value)
    bucket = world.server.add(Bucket("creds", keys=world.keys, region=None, public=case.get("public", False)))
    for key, data in DATASET.items():
        bucket.load("set.zarr/" + key, data)
    fill = {"HOME": home, "SERVICES": world.services.url, "ENDPOINT": world.server.url, "HOST": "127.0.0.1:%d" % world.server.port,
            "PORT": world.server.port}
    put_in = lambda text: re.sub(r"\{(%s)\}" % "|".join(fill), lambda m: str(fill[m.group(1)]), text)
    try:
        os.mkdir(os.path.join(home, ".aws"))
        files = dict(case.get("files", {}))
        for name in ("config", "credentials"):
            if name in case:
                files[".aws/" + name] = case[name]
        for name, text in files.items():
            path = os.path.join(home, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(put_in(text).encode() if isinstance(text, str) else text)
            if name.endswith(".sh"):
                os.chmod(path, stat.S_IRWXU)
        env = {n: v for n, v in os.environ.items() if n == "PATH" or n.startswith("GCOV_")}  # GCOV_: ./dev coverage
        env.update({"HOME": home, "AWS_EC2_METADATA_DISABLED": "true"})
        env.update({n: put_in(v) for n, v in case.get("env", {}).items()})
        url = put_in(case.get("url", AT))
        explain = case.get("explain")
        if case.get("write"):
            cdl = os.path.join(home, "a.cdl")
            with open(cdl, "w") as f:
                f.write("netcdf a {\n:title = \"found it\" ;\n}\n")
            command = [world.gen, "-o", url, cdl]
        else:
            command = [world.dump, "--s3-explain" if explain else "-h", url]
        r = subprocess.run(command, capture_output=True, text=True, env=env, cwd=home, timeout=60)
        return judge(world, case, bucket, r, home)
    finally:
        del world.server.buckets["creds"]
        shutil.rmtree(home)


def judge(world, case, bucket, r, home):
    out, problems = r.stdout + r.stderr, []
    problems += ["a secret is printed: %s" % out for s in SECRETS if s in out][:1]
    if "error" in case:
        problems += ["it succeeded"] if r.returncode == 0 else []
        problems += ["does not say %r: %s" % (w, r.stderr) for w in case["error"] if w not in r.stderr]
        if not case.get("asks"):
            problems += ["it asked the server: %s %s" % (e["method"], e["key"]) for e in bucket.log[:2]]
    elif "explain" in case:
        problems += ["status %d: %s" % (r.returncode, r.stderr)] if r.returncode != case.get("status", 0) else []
        problems += ["does not say %r: %s" % (w, r.stdout) for w in case["explain"] if w not in r.stdout]
        problems += ["it asked for an object"] if bucket.log else []
    else:
        if r.returncode != 0 or not case.get("write") and "found it" not in r.stdout:
            problems.append("status %d: %s" % (r.returncode, r.stderr))
        log = bucket.log
        if case.get("unsigned_first"): # the first round, of two requests side by side, before anybody asks for credentials
            unsigned = [e for e in log[:2] if "authorization" not in e["headers"]]
            problems += [] if unsigned and unsigned[0] is log[0] else ["the first request is signed"]
            log = [e for e in log[:2] if e not in unsigned] + log[2:]
        signers = {world.signer(e.get("signer")) for e in log}
        if signers != {case["signer"]}:
            problems.append("signed by %s, not %s" % (signers, case["signer"]))
        regions = {scope_region(e) for e in log}
        if "region" in case and regions != {case["region"]}:
            problems.append("for the region %s, not %s" % (regions, case["region"]))
        if "host" in case and {e["headers"]["host"].split(":")[0] for e in bucket.log} != {case["host"]}:
            problems.append("to the host %s" % {e["headers"]["host"] for e in bucket.log})
        for name, value in case.get("header", {}).items():
            if any(e["headers"].get(name) != value for e in bucket.log):
                problems.append("%s is %s" % (name, {e["headers"].get(name) for e in bucket.log}))
    if "check" in case:
        found = case["check"](world.services.log, home)
        problems += [found] if found else []
    return problems


# ---- the table -------------------------------------------------------------------------------------------------------

PROCESS = """#!/bin/sh
echo run >>"{HOME}/runs"
[ "$1" = "two words" ] || { echo "arguments: $*" >&2; exit 3; }
cat <<'END'
{"Version": 1, "AccessKeyId": "%s", "SecretAccessKey": "%s", "SessionToken": "%s", "Expiration": "%s"}
END
"""


def process_script(source="process", seconds=3600):
    return PROCESS % (keys_of(source) + (in_seconds(seconds),))


def sso_cache(name, expires, token="sso-access-token"):
    return {".aws/sso/cache/%s.json" % hashlib.sha1(name.encode()).hexdigest(): json.dumps({"accessToken": token, "expiresAt": expires})}


def counted(n):
    def check(log, home):
        path = os.path.join(home, "runs")
        runs = 0
        if os.path.exists(path):
            with open(path) as f:
                runs = len(f.readlines())
        return None if runs == n else "the process ran %d times" % runs
    return check


def asked(words, n=None):
    """One request to the services has all these words; and there were n in all."""
    def check(log, home):
        texts = ["%s %s %s" % (m, p, b.decode()) for m, p, h, b in log]
        if n is not None and len(log) != n:
            return "%d requests to the services: %s" % (len(log), texts)
        return None if any(all(w in t for w in words) for t in texts) else "never asked %s: %s" % (words, texts)
    return check


NO_SERVICE = lambda log, home: "a service was asked: %s" % log[0][1] if log else None
ROLE = "[default]\nrole_arn = arn:aws:iam::123456789012:role/reader\n"
STS = {"AWS_ENDPOINT_URL_STS": "{SERVICES}/sts"}
SSO = ("[default]\nsso_session = corp\nsso_account_id = 123456789012\nsso_role_name = Reader\n"
       "[sso-session corp]\nsso_region = eu-west-1\nsso_start_url = https://corp.example/start\n")
IMDS = {"AWS_EC2_METADATA_DISABLED": "false", "AWS_EC2_METADATA_SERVICE_ENDPOINT": "{SERVICES}"}

CASES = {
    # keys in the environment
    "env: a pair": dict(env=env_keys("env"), signer="env"),
    "env: with a token": dict(env=env_keys("token", TOKEN), signer="token"),
    "env: with a token under its old name": dict(env=dict(env_keys("token"), AWS_SECURITY_TOKEN=TOKEN), signer="token"),
    "env: id alone": dict(
        env={"AWS_ACCESS_KEY_ID": plain("env")[0]}, credentials="[default]\n" + entry("default"), error=["AWS_SECRET_ACCESS_KEY"]),
    "env: secret alone": dict(
        env={"AWS_SECRET_ACCESS_KEY": plain("env")[1]}, credentials="[default]\n" + entry("default"), error=["AWS_ACCESS_KEY_ID"]),
    "env: before files": dict(env=env_keys("env"), credentials="[default]\n" + entry("default"), signer="env"),
    "env: before AWS_PROFILE's keys": dict(
        env=dict(env_keys("env"), AWS_PROFILE="work"), credentials="[work]\n" + entry("work"), signer="env"),
    "env: empty is as none": dict(
        env={"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, credentials="[default]\n" + entry("default"), signer="default"),
    # profiles
    "profile: default of credentials": dict(credentials="[default]\n" + entry("default"), signer="default"),
    "profile: default of config": dict(config="[default]\n" + entry("default"), signer="default"),
    "profile: [profile default] before [default]": dict(
        config="[default]\n" + entry("other") + "[profile default]\n" + entry("default"), signer="default"),
    "profile: AWS_PROFILE": dict(
        env={"AWS_PROFILE": "work"}, credentials="[default]\n" + entry("default") + "[work]\n" + entry("work"), signer="work"),
    "profile: AWS_DEFAULT_PROFILE": dict(
        env={"AWS_DEFAULT_PROFILE": "work"}, credentials="[work]\n" + entry("work"), signer="work"),
    "profile: AWS_PROFILE before AWS_DEFAULT_PROFILE": dict(
        env={"AWS_PROFILE": "work", "AWS_DEFAULT_PROFILE": "other"}, credentials="[work]\n" + entry("work") + "[other]\n" + entry("other"),
        signer="work"),
    "profile: of the URL, before the environment's keys": dict(
        env=env_keys("env"), credentials="[work]\n" + entry("work"), signer="work", url=AT + "&aws.profile=work"),
    "profile: awsprofile of the URL": dict(credentials="[work]\n" + entry("work"), url=AT + "&awsprofile=work", signer="work"),
    "profile: in config": dict(env={"AWS_PROFILE": "work"}, config="[profile work]\n" + entry("work"), signer="work"),
    "profile: [work] in config is none": dict(env={"AWS_PROFILE": "work"}, config="[work]\n" + entry("work"), error=["work"]),
    "profile: credentials before config": dict(
        config="[default]\n" + entry("other"), credentials="[default]\n" + entry("default"), signer="default"),
    "profile: missing, in the environment": dict(
        env={"AWS_PROFILE": "nobody"}, credentials="[default]\n" + entry("default"), error=["nobody", "AWS_PROFILE"]),
    "profile: missing, in the URL": dict(env=env_keys("env"), url=AT + "&aws.profile=nobody", error=["nobody"]),
    "profile: none is nobody": dict(env=env_keys("env"), public=True, url=AT + "&aws.profile=none", signer=None),
    "profile: no is nobody": dict(
        credentials="[default]\n" + entry("default"), public=True, signer=None, url=AT + "&aws.profile=no"),
    "profile: AWS.PROFILE of .ncrc": dict(
        files={".ncrc": "AWS.PROFILE=work\n"}, credentials="[default]\n" + entry("default") + "[work]\n" + entry("work"), signer="work"),
    "profile: .ncrc for another host": dict(
        files={".ncrc": "[https://elsewhere.org]AWS.PROFILE=work\n"}, signer="default",
        credentials="[default]\n" + entry("default") + "[work]\n" + entry("work")),
    # files
    "files: elsewhere": dict(
        env={"AWS_SHARED_CREDENTIALS_FILE": "{HOME}/my/keys"}, files={"my/keys": "[default]\n" + entry("default")},
        credentials="[default]\n" + entry("other"), signer="default"),
    "files: elsewhere, with ~": dict(
        env={"AWS_CONFIG_FILE": "~/my/conf"}, files={"my/conf": "[default]\n" + entry("default")}, signer="default"),
    "files: CRLF and BOM": dict(
        credentials=b"\xef\xbb\xbf" + ("[default]\n" + entry("default")).replace("\n", "\r\n").encode(), signer="default"),
    "files: comments, case, blanks": dict(
        credentials="# [default]\n; x\n\n[default]\nAWS_Access_Key_ID=%s\nAWS_SECRET_ACCESS_KEY   =   %s\n\n" % plain("default"),
        signer="default"),
    "files: the last of two lines wins": dict(credentials="[default]\n" + entry("other") + entry("default"), signer="default"),
    "files: a section in two parts": dict(
        credentials="[default]\naws_access_key_id = %s\n[work]\n%s[default]\naws_secret_access_key = %s\n" % ( plain("default")[0],
        entry("work"), plain("default")[1]), signer="default"),
    "files: a token with = and brackets": dict(credentials="[default]\n" + entry("token", TOKEN), signer="token"),
    "files: a token under netCDF's name": dict(
        credentials="[default]\n" + entry("token") + "aws_security_token = %s\n" % TOKEN, signer="token"),
    "files: a profile with a blank": dict(
        env={"AWS_PROFILE": "two words"}, config='[profile "two words"]\n' + entry("two words"), signer="two words"),
    "files: an inline comment": dict(
        config="[default]\nregion = eu-west-3 # ours\n", credentials="[default]\n" + entry("default"), signer="default",
        region="eu-west-3"),
    "files: an indented block": dict(
        config="[default]\ns3 =\n  addressing_style = path\n  max_concurrent_requests = 4\nregion = eu-west-3\n",
        credentials="[default]\n" + entry("default"), signer="default", region="eu-west-3"),
    "files: half a pair": dict(
        credentials="[default]\naws_access_key_id = %s\n" % plain("default")[0], error=["aws_secret_access_key"]),
    "files: output = json, as in the specification": dict(
        config="[default]\noutput = json\n" + entry("default"), signer="default"),
    # unsigned
    "unsigned: AWS_NO_SIGN_REQUEST": dict(env=dict(env_keys("env"), AWS_NO_SIGN_REQUEST="YES"), public=True, signer=None),
    "unsigned: anon": dict(env=env_keys("env"), public=True, url=AT + "&anon", signer=None),
    "unsigned: nothing found, public": dict(public=True, signer=None),
    "unsigned: nothing found, private": dict(error=["403", "not signed"], asks=True),
    "unsigned: nothing found, to write": dict(
        write=True, public=True, url="s3://creds/new.zarr#aws.endpoint={ENDPOINT}", error=["credentials"],
asks=True),
    "signed: to write": dict(env=env_keys("env"), write=True, url="s3://creds/new.zarr#aws.endpoint={ENDPOINT}", signer="env"),
    # roles
    "role: source_profile": dict(
        env=STS, config=ROLE + "source_profile = source\n", credentials="[source]\n" + entry("source"),
        signer=keys_of("role:reader:by:" + plain("source")[0])[0], check=asked(["Action=AssumeRole&", "RoleSessionName="], 1)),
    "role: all it may say": dict(
        env=STS, services={"external_id": "an id & more"}, credentials="[source]\n" + entry("source"),
        config=ROLE + "source_profile = source\nexternal_id = an id & more\nrole_session_name = me\nduration_seconds = 1800\n",
        signer=keys_of("role:reader:by:" + plain("source")[0])[0], check=asked(["RoleSessionName=me", "DurationSeconds=1800"])),
    "role: refused": dict(
        env=STS, services={"external_id": "another"}, config=ROLE + "source_profile = source\n", credentials="[source]\n" + entry("source"),
        error=["AccessDenied", "reader"]),
    "role: before env of AWS_PROFILE": dict(
        env=dict(STS, AWS_PROFILE="work"), config=ROLE.replace("default", "profile work") + "source_profile = source\n",
        credentials="[source]\n" + entry("source"), signer=keys_of("role:reader:by:" + plain("source")[0])[0]),
    "role: the region of STS": dict(
        env=STS, services={"region": "eu-west-3"}, config=ROLE + "source_profile = source\nregion = eu-west-3\n",
        credentials="[source]\n" + entry("source"), signer=keys_of("role:reader:by:" + plain("source")[0])[0], region="eu-west-3"),
    "role: the region of STS, the environment before the profile": dict(
        env=dict(STS, AWS_REGION="eu-west-2"), services={"region": "eu-west-2"}, config=ROLE + "source_profile = source\nregion = eu-west-3\n",
        credentials="[source]\n" + entry("source"), signer=keys_of("role:reader:by:" + plain("source")[0])[0], region="eu-west-2"),
    "role: credential_source Environment": dict(
        env=dict(STS, **env_keys("env")), config=ROLE.replace("default", "profile r") + "credential_source = Environment\n",
        url=AT + "&aws.profile=r", signer=keys_of("role:reader:by:" + plain("env")[0])[0]),
    "role: credential_source EcsContainer": dict(
        env=dict(STS, AWS_CONTAINER_CREDENTIALS_FULL_URI="{SERVICES}/container"), config=ROLE + "credential_source = EcsContainer\n",
        signer=keys_of("role:reader:by:" + keys_of("container")[0])[0]),
    "role: credential_source Ec2InstanceMetadata": dict(
        env=dict(STS, **IMDS), config=ROLE + "credential_source = Ec2InstanceMetadata\n",
        signer=keys_of("role:reader:by:" + keys_of("machine:v2")[0])[0]),
    "role: of a role": dict(
        env=STS, credentials="[source]\n" + entry("source"), check=asked(["role%2Fsecond"], 2),
        config="[default]\nrole_arn = arn:aws:iam::1:role/second\nsource_profile = middle\n"
               "[profile middle]\nrole_arn = arn:aws:iam::1:role/first\nsource_profile = source\n",
        signer=keys_of("role:second:by:" + keys_of("role:first:by:" + plain("source")[0])[0])[0]),
    "role: a circle": dict(
        env=STS, config="[default]\nrole_arn = arn:aws:iam::1:role/a\nsource_profile = b\n[profile b]\nrole_arn = arn:aws:iam::1:role/b\n"
                        "source_profile = default\n", error=["default"], check=NO_SERVICE),
    "role: without a source": dict(env=STS, config=ROLE, error=["source_profile"], check=NO_SERVICE),
    "role: a source that is not there": dict(
        env=STS, config=ROLE + "source_profile = nobody\n", error=["nobody"], check=NO_SERVICE),
    "role: itself as source": dict(
        env=STS, config=ROLE + "source_profile = default\n", credentials="[default]\n" + entry("source"),
        signer=keys_of("role:reader:by:" + plain("source")[0])[0]),
    "role: with a second factor": dict(
        env=STS, config=ROLE + "source_profile = source\nmfa_serial = arn:aws:iam::1:mfa/me\n", credentials="[source]\n" + entry("source"),
        error=["mfa"], check=NO_SERVICE),
    # web identity
    "web: environment": dict(
        env=dict(STS, AWS_ROLE_ARN="arn:aws:iam::1:role/reader", AWS_WEB_IDENTITY_TOKEN_FILE="{HOME}/token"),
        files={"token": "web.identity.token"}, signer=keys_of("web:reader")[0], check=asked(["Action=AssumeRoleWithWebIdentity"], 1)),
    "web: profile": dict(
        env=STS, files={"token": "web.identity.token"}, config=ROLE + "web_identity_token_file = {HOME}/token\n",
        signer=keys_of("web:reader")[0]),
    "web: no token file": dict(
        env=dict(STS, AWS_ROLE_ARN="arn:aws:iam::1:role/reader", AWS_WEB_IDENTITY_TOKEN_FILE="{HOME}/token"), error=["token"],
        check=NO_SERVICE),
    "web: refused": dict(
        env=dict(STS, AWS_ROLE_ARN="arn:aws:iam::1:role/reader", AWS_WEB_IDENTITY_TOKEN_FILE="{HOME}/token"),
        files={"token": "cAnArY.other.token"}, error=["InvalidIdentityToken"]),
    "web: no role": dict(
        env=dict(STS, AWS_WEB_IDENTITY_TOKEN_FILE="{HOME}/token"), files={"token": "web.identity.token"}, error=["role"]),
    # single sign-on
    "sso: session": dict(
        env={"AWS_ENDPOINT_URL_SSO": "{SERVICES}/sso"}, files=sso_cache("corp", in_seconds(3600)),
        signer=keys_of("sso:123456789012:Reader")[0],
        config=SSO),
    "sso: without session": dict(
        env={"AWS_ENDPOINT_URL_SSO": "{SERVICES}/sso"}, files=sso_cache("https://corp.example/start", in_seconds(3600)),
        config="[default]\nsso_start_url = https://corp.example/start\nsso_region = eu-west-1\nsso_account_id = 123456789012\n"
               "sso_role_name = Reader\n", signer=keys_of("sso:123456789012:Reader")[0]),
    "sso: expired": dict(
        env={"AWS_ENDPOINT_URL_SSO": "{SERVICES}/sso"}, files=sso_cache("corp", in_seconds(-60)), error=["aws sso login"], check=NO_SERVICE,
        config=SSO),
    "sso: never logged in": dict(
        env={"AWS_ENDPOINT_URL_SSO": "{SERVICES}/sso"}, error=["aws sso login"], check=NO_SERVICE,
        config=SSO),
    "sso: token not taken": dict(
        env={"AWS_ENDPOINT_URL_SSO": "{SERVICES}/sso"}, files=sso_cache("corp", in_seconds(3600), "old"), error=["aws sso login"],
        config=SSO),
    # a process
    "process: keys": dict(
        config='[default]\ncredential_process = {HOME}/p.sh "two words"\n', files={"p.sh": process_script()}, signer=keys_of("process")[0],
        check=counted(1)),
    "process: without an end": dict(
        config='[default]\ncredential_process = {HOME}/p.sh \'two words\'\n', signer=keys_of("process")[0],
        files={"p.sh": re.sub(', "Expiration": "[^"]*"', "", process_script())}),
    "process: no shell": dict(
        config='[default]\ncredential_process = {HOME}/p.sh "two words" ; touch {HOME}/touched\n', files={"p.sh": process_script()},
        signer=keys_of("process")[0], check=lambda log, home: "a shell ran" if os.path.exists(home + "/touched") else None),
    "process: fails": dict(
        config="[default]\ncredential_process = {HOME}/p.sh wrong\n", files={"p.sh": process_script()}, error=["arguments: wrong"]),
    "process: says nothing": dict(config="[default]\ncredential_process = /bin/true\n", error=["credential_process"]),
    "process: is not there": dict(config="[default]\ncredential_process = {HOME}/nothing\n", error=["nothing"]),
    "process: another version": dict(
        config='[default]\ncredential_process = {HOME}/p.sh "two words"\n', files={"p.sh": process_script().replace('"Version": 1',
        '"Version": 2')}, error=["ersion"]),
    "process: keys in the file go first": dict(
        config='[default]\ncredential_process = {HOME}/p.sh "two words"\n', credentials="[default]\n" + entry("default"),
        files={"p.sh": process_script()}, signer="default"),
    # containers
    "container: full URI": dict(
        env={"AWS_CONTAINER_CREDENTIALS_FULL_URI": "{SERVICES}/container"}, signer=keys_of("container")[0]),
    "container: token": dict(
        env={"AWS_CONTAINER_CREDENTIALS_FULL_URI": "{SERVICES}/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "Basic abc="},
        services={"container_token": "Basic abc="}, signer=keys_of("container")[0]),
    "container: token file": dict(
        env={"AWS_CONTAINER_CREDENTIALS_FULL_URI": "{SERVICES}/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "{HOME}/t",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN": "other"}, files={"t": "Bearer xyz"}, services={"container_token": "Bearer xyz"},
        signer=keys_of("container")[0]),
    "container: token with a line break": dict(
        env={"AWS_CONTAINER_CREDENTIALS_FULL_URI": "{SERVICES}/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "{HOME}/t"},
        files={"t": "Bearer xyz\r\nX-Evil: 1"}, error=["line break"], check=NO_SERVICE),
    "container: refused": dict(
        env={"AWS_CONTAINER_CREDENTIALS_FULL_URI": "{SERVICES}/container"}, services={"container_token": "x"}, error=["403"]),
    "container: another host": dict(
        env={"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://198.51.100.7/container"}, error=["AWS_CONTAINER_CREDENTIALS_FULL_URI"]),
    "container: a host that only looks like loopback": dict(
        env={"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1.evil.example/c"}, error=["AWS_CONTAINER_CREDENTIALS_FULL_URI"]),
    "container: user info": dict(
        env={"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1@198.51.100.7/c"}, error=["AWS_CONTAINER_CREDENTIALS_FULL_URI"]),
    "container: not where env has keys": dict(
        env=dict(env_keys("env"), AWS_CONTAINER_CREDENTIALS_FULL_URI="{SERVICES}/container"), signer="env", check=NO_SERVICE),
    # EC2
    "ec2: version 2": dict(
        env=IMDS, signer=keys_of("machine:v2")[0], unsigned_first=True, check=asked(["PUT /latest/api/token"], 3)),
    "ec2: version 1": dict(env=IMDS, services={"imds": "v1"}, signer=keys_of("machine:v1")[0], unsigned_first=True),
    "ec2: version 1, not wanted": dict(
        env=dict(IMDS, AWS_EC2_METADATA_V1_DISABLED="true"), services={"imds": "v1"}, error=["403", "not signed", "gives no token"],
        asks=True, check=asked(["PUT /latest/api/token"], 1)),
    "ec2: no role": dict(
        env=IMDS, services={"imds": "no role"}, error=["403", "not signed", "has no role"], asks=True, check=asked(["PUT /latest/api/token"], 2)),
    "ec2: a public bucket": dict(env=IMDS, public=True, signer=None, check=NO_SERVICE),
    "ec2: the requester pays": dict(
        env=dict(IMDS, AWS_REQUEST_PAYER="requester"), signer=keys_of("machine:v2")[0], check=asked(["PUT /latest/api/token"], 3)),
    "ec2: to write": dict(
        env=IMDS, write=True, url="s3://creds/new.zarr#aws.endpoint={ENDPOINT}", signer=keys_of("machine:v2")[0],
        check=asked(["PUT /latest/api/token"], 3)),
    "ec2: disabled": dict(env=dict(IMDS, AWS_EC2_METADATA_DISABLED="true"), public=True, signer=None, check=NO_SERVICE),
    "ec2: not for another server's bucket": dict(
        env={"AWS_EC2_METADATA_DISABLED": "false"}, public=True, signer=None, check=NO_SERVICE),
    "ec2: in config": dict(
        env={"AWS_EC2_METADATA_DISABLED": "false"}, config="[default]\nec2_metadata_service_endpoint = {SERVICES}\n",
        signer=keys_of("machine:v2")[0], unsigned_first=True),
    # region
    "region: none said": dict(env=env_keys("env"), signer="env", region="us-east-1"),
    "region: AWS_REGION": dict(
        env=dict(env_keys("env"), AWS_REGION="eu-central-1", AWS_DEFAULT_REGION="us-west-2"), signer="env", region="eu-central-1"),
    "region: AWS_DEFAULT_REGION": dict(
        env=dict(env_keys("env"), AWS_DEFAULT_REGION="us-west-2"), signer="env", region="us-west-2"),
    "region: URL": dict(
        env=dict(env_keys("env"), AWS_REGION="eu-central-1"), url=AT + "&aws.region=ap-south-1", signer="env", region="ap-south-1"),
    "region: the environment, before the profile": dict(
        env={"AWS_REGION": "eu-central-1"}, config="[default]\nregion = sa-east-1\n" + entry("default"), signer="default",
        region="eu-central-1"),
    "region: the URL's profile, before the environment": dict(
        env={"AWS_REGION": "eu-central-1"}, config="[profile work]\nregion = sa-east-1\n" + entry("work"), signer="work",
        url=AT + "&aws.profile=work", region="sa-east-1"),
    "region: profile, before .ncrc": dict(
        files={".ncrc": "AWS.REGION=ca-central-1\n"}, config="[default]\nregion = sa-east-1\n" + entry("default"), signer="default",
        region="sa-east-1"),
    "region: aws_region, as netCDF has it": dict(
        config="[default]\naws_region = sa-east-1\n" + entry("default"), signer="default", region="sa-east-1"),
    "region: AWS.REGION of .ncrc": dict(
        env=env_keys("env"), files={".ncrc": "AWS.REGION=ca-central-1\n"}, signer="env", region="ca-central-1"),
    "region: .dodsrc after .ncrc": dict(
        env=env_keys("env"), files={".ncrc": "AWS.REGION=ca-central-1\n", ".dodsrc": "AWS.REGION=ca-west-1\n"}, signer="env",
        region="ca-west-1"),
    "region: host": dict(
        env=dict(env_keys("env"), AWS_REGION="us-west-2"), url="https://pub.s3.eu-west-1.amazonaws.com/a/b#mode=s3",
        explain=["region: eu-west-1"]),
    "region: no name of one": dict(env=dict(env_keys("env"), AWS_REGION="evil.example/x"), error=["region"]),
    # endpoint
    "endpoint: AWS_ENDPOINT_URL": dict(
        env=dict(env_keys("env"), AWS_ENDPOINT_URL="{ENDPOINT}"), url="s3://creds/set.zarr", signer="env"),
    "endpoint: AWS_ENDPOINT_URL_S3 goes first": dict(
        env=dict(env_keys("env"), AWS_ENDPOINT_URL="http://127.0.0.1:9", AWS_ENDPOINT_URL_S3="{ENDPOINT}"), url="s3://creds/set.zarr",
        signer="env"),
    "endpoint: profile": dict(
        config="[default]\nendpoint_url = {ENDPOINT}\n" + entry("default"), url="s3://creds/set.zarr", signer="default"),
    "endpoint: services section": dict(
        config="[default]\nservices = lab\nendpoint_url = http://127.0.0.1:9\n" + entry("default") 
               + "[services lab]\ns3 =\n  endpoint_url = {ENDPOINT}\n", url="s3://creds/set.zarr", signer="default"),
    "endpoint: the environment before the profile": dict(
        env={"AWS_ENDPOINT_URL": "{ENDPOINT}"}, config="[default]\nendpoint_url = http://127.0.0.1:9\n" + entry("default"),
        url="s3://creds/set.zarr", signer="default"),
    "endpoint: configured ones ignored": dict(
        env=dict(env_keys("env"), AWS_ENDPOINT_URL="{ENDPOINT}", AWS_IGNORE_CONFIGURED_ENDPOINT_URLS="true"), url="s3://creds/set.zarr",
        explain=["Amazon S3"]),
    "endpoint: GDAL's names": dict(
        env=dict(env_keys("env"), AWS_S3_ENDPOINT="{HOST}", AWS_HTTPS="NO"), url="s3://creds/set.zarr", signer="env"),
    "endpoint: of the URL": dict(
        env=dict(env_keys("env"), AWS_ENDPOINT_URL="http://127.0.0.1:9"), url="{ENDPOINT}/creds/set.zarr#mode=nczarr,s3", signer="env"),
    # addressing
    "addressing: path for another server": dict(env=env_keys("env"), signer="env", host="127.0.0.1"),
    "addressing: virtual in the URL": dict(
        env=env_keys("env"), url="s3://creds/set.zarr#aws.endpoint=http://localhost:{PORT}&addressing=virtual", signer="env",
        host="creds.localhost"),
    "addressing: virtual in the profile": dict(
        config="[default]\ns3 =\n  addressing_style = virtual\n" + entry("default"), signer="default", host="creds.localhost",
        url="s3://creds/set.zarr#aws.endpoint=http://localhost:{PORT}"),
    "addressing: AWS_VIRTUAL_HOSTING": dict(
        env=dict(env_keys("env"), AWS_VIRTUAL_HOSTING="TRUE"), signer="env", host="creds.localhost",
        url="s3://creds/set.zarr#aws.endpoint=http://localhost:{PORT}"),
    "addressing: Amazon, s3://": dict(
        env=env_keys("env"), url="s3://pub/a/b", explain=["address: https://pub.s3.us-east-1.amazonaws.com/"]),
    "addressing: Amazon, a bucket that is no DNS name": dict(
        env=env_keys("env"), url="s3://my_bucket/a", explain=["https://s3.us-east-1.amazonaws.com/my_bucket/"]),
    "addressing: Amazon, path": dict(
        env=env_keys("env"), url="https://s3.eu-west-1.amazonaws.com/pub/a/b", explain=["https://s3.eu-west-1.amazonaws.com/pub/",
        "region: eu-west-1"]),
    "addressing: Amazon, virtual": dict(
        env=env_keys("env"), url="https://pub.s3.eu-west-1.amazonaws.com/a/b", explain=["https://pub.s3.eu-west-1.amazonaws.com/",
        "bucket: pub"]),
    "addressing: Amazon, without a region": dict(
        env=env_keys("env"), url="https://pub.s3.amazonaws.com/a", explain=["bucket: pub"]),
    "addressing: Amazon, s3-region": dict(
        env=env_keys("env"), url="https://s3-eu-west-1.amazonaws.com/pub/a", explain=["bucket: pub", "region: eu-west-1"]),
    "addressing: Amazon, dual stack": dict(
        env=env_keys("env"), url="https://pub.s3.dualstack.eu-west-1.amazonaws.com/a", explain=["bucket: pub", "region: eu-west-1"]),
    "addressing: Amazon in China": dict(
        env=env_keys("env"), url="https://pub.s3.cn-north-1.amazonaws.com.cn/a", explain=["bucket: pub", "region: cn-north-1"]),
    "addressing: the old s3:// with a host": dict(
        env=env_keys("env"), url="s3://s3.eu-west-1.amazonaws.com/pub/a", explain=["bucket: pub", "region: eu-west-1"]),
    "addressing: Google": dict(
        env=env_keys("env"), url="https://storage.googleapis.com/pub/a#mode=gs3", explain=["bucket: pub", "storage.googleapis.com"]),
    "addressing: gs3://": dict(env=env_keys("env"), url="gs3://pub/a", explain=["bucket: pub", "storage.googleapis.com"]),
    "addressing: AWS_USE_DUALSTACK_ENDPOINT": dict(
        env=dict(env_keys("env"), AWS_USE_DUALSTACK_ENDPOINT="true"), url="s3://pub/a", explain=["s3.dualstack.us-east-1"]),
    "addressing: AWS_USE_FIPS_ENDPOINT": dict(
        env=dict(env_keys("env"), AWS_USE_FIPS_ENDPOINT="true"), url="s3://pub/a", explain=["s3-fips"]),
    "addressing: an access point": dict(env=env_keys("env"), url="s3://arn:aws:s3:us-west-2:1:accesspoint/x/a", error=[]),
    "addressing: a directory bucket": dict(env=env_keys("env"), url="s3://pub--usw2-az1--x-s3/a", error=["directory"]),
    # who pays, presigned
    "requester pays: environment": dict(
        env=dict(env_keys("env"), AWS_REQUEST_PAYER="requester"), signer="env", header={"x-amz-request-payer": "requester"}),
    "requester pays: URL": dict(
        env=env_keys("env"), url=AT + "&requester_pays", signer="env", header={"x-amz-request-payer": "requester"}),
    "requester pays: not asked for": dict(env=env_keys("env"), signer="env", header={"x-amz-request-payer": None}),
    "explain: environment": dict(
        env=env_keys("env"), explain=["bucket: creds", "key: set.zarr", "region: us-east-1", "credentials:", "nvironment"]),
    "explain: a file": dict(credentials="[default]\n" + entry("default"), explain=["credentials:", ".aws/credentials"]),
    "explain: a role": dict(
        env=STS, config=ROLE + "source_profile = source\n", credentials="[source]\n" + entry("source"), explain=["AssumeRole", "reader"]),
    "explain: half a pair": dict(
        env={"AWS_ACCESS_KEY_ID": plain("env")[0]}, explain=["credentials: none that work", "requests at once:"], status=1),
    "explain: a broken metadata service, public data can be read": dict(
        env=dict(IMDS, AWS_EC2_METADATA_SERVICE_ENDPOINT="{SERVICES}"), services={"imds": "broken"}, explain=["credentials: none that work"]),
    "explain: nothing": dict(explain=["credentials: none"]),
}


WRONG_CLIENT = """#!%s
import os, re, sys
sys.path.insert(0, %r)
import ref_client
text = "".join(open(p).read() for p in (os.path.expanduser("~/.aws/credentials"), os.path.expanduser("~/.aws/config")) if os.path.exists(p))
pair = [os.environ.get(n.upper()) or (re.findall(n + " *= *(.*)", text) or ["nobody"])[0] for n in ("aws_access_key_id", "aws_secret_access_key")]
endpoint = (re.findall("aws.endpoint=([^&]*)", sys.argv[-1]) or [os.environ.get("AWS_ENDPOINT_URL", "http://127.0.0.1:9")])[0]
print(ref_client.Client(endpoint + "/creds/set.zarr", *pair, token=os.environ.get("AWS_SESSION_TOKEN")).get(".zattrs"))
"""


def check_checker():
    """A client that takes the first keys that it finds, whatever is said of profiles, roles and regions, is caught: in
    every kind of case, though it signs well enough to pass the plainest."""
    with tempfile.TemporaryDirectory(prefix="nczarr-creds-") as folder:
        os.mkdir(os.path.join(folder, "tools"))
        for name in ("nczdump", "nczgen"):
            with open(os.path.join(folder, "tools", name), "w") as f:
                f.write(WRONG_CLIENT % (sys.executable, os.path.dirname(os.path.abspath(__file__))))
            os.chmod(f.name, stat.S_IRWXU)
        world, seen = World(folder), {}
        for name, case in list(CASES.items())[::3]:
            seen.setdefault(name.split(":")[0], []).append(bool(run_case(world, case)))
        plain = run_case(world, CASES["env: a pair"])
        world.server.stop()
        world.services.stop()
    return plain + ["a client that looks at nothing passes all of \"%s\"" % family for family, caught in seen.items() if not any(caught)]


def main():
    global passed, failed
    if len(sys.argv) < 3:
        problems = check_checker()
        passed, failed = passed + (not problems), failed + bool(problems)
        for p in problems:
            print("FAILED the checker: " + p)
    world = World(os.path.abspath(sys.argv[1]))
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    for name, case in CASES.items():
        if only not in name:
            continue
        problems = run_case(world, case)
        passed, failed = passed + (not problems), failed + bool(problems)
        if problems or only:
            print(("FAILED " if problems else "ok     ") + name)
        for p in problems:
            print("    " + p[:700])
        sys.stdout.flush()
    world.server.stop()
    world.services.stop()
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)


main()
