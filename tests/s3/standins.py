"""Small stand-ins on loopback for the services that hand out credentials: STS, the SSO portal, a container's agent, EC2's
metadata service. Each gives keys of its own, and is as strict about what it is asked as the real ones."""
import datetime, hashlib, json, threading, urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import sigv4


def keys_of(source):
    """(id, secret, token) that this source gives: marked, so that they are found wherever they come out."""
    tail = hashlib.sha256(source.encode()).hexdigest()[:12].upper()
    return "ASIA" + tail, "cAnArY/%s+secret=%s" % (source, tail), "cAnArYtOkEn/%s/%s==" % (source, tail)


def in_seconds(n):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=n)).strftime("%Y-%m-%dT%H:%M:%SZ")


class StandIns:
    """`callers` maps access keys to (secret, token) that STS knows. The behaviour of one test is set in the attributes."""

    def __init__(self):
        self.callers, self.log = {}, []
        self.reset()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *unused):
                pass

            def any(self):
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                headers = {n.lower(): v for n, v in self.headers.items()}
                outer.log.append((self.command, self.path, headers, body))
                try:
                    status, answer = outer.answer(self.command, self.path, headers, body)
                except sigv4.Refused as e:
                    status, answer = e.status, "<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error></ErrorResponse>" % (
                        e.code, e.message)
                data = answer.encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_PUT = do_POST = any

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]

    def reset(self):
        self.log.clear()
        self.region = None             # that a request to STS must be signed for
        self.external_id = None
        self.web_token = "web.identity.token"
        self.sso_token = "sso-access-token"
        self.container_token = None
        self.imds = "v2"               # "v1", "none", "no role", "broken"
        self.expires = 3600

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, method, path, headers, body):
        if path.startswith("/sts"):
            return self.sts(method, path, headers, body)
        if path.startswith("/sso/federation/credentials"):
            return self.sso(method, path, headers)
        if path.startswith("/container"):
            return self.container(method, headers)
        if path.startswith("/latest/"):
            return self.metadata(method, path, headers)
        return 404, ""

    # -- STS

    def sts(self, method, path, headers, body):
        form = {n: v[0] for n, v in urllib.parse.parse_qs(body.decode()).items()}
        if method != "POST" or form.get("Version") != "2011-06-15":
            raise sigv4.Refused(400, "InvalidAction", "no such action")
        for name in ("RoleArn", "RoleSessionName"):
            if not form.get(name):
                raise sigv4.Refused(400, "ValidationError", "%s is missing" % name)
        if form.get("Action") == "AssumeRole":
            now = datetime.datetime.now(datetime.timezone.utc)
            keys = {k: v for k, v in self.callers.items()}
            signer = sigv4.verify(method, path, headers, body, keys, now, self.region, service="sts")
            if signer is None:
                raise sigv4.Refused(403, "MissingAuthenticationToken", "Request is missing Authentication Token")
            if form.get("ExternalId") != self.external_id:
                raise sigv4.Refused(403, "AccessDenied", "not with this external id")
            source = "role:%s:by:%s" % (form["RoleArn"].rpartition("/")[2], signer)
        elif form.get("Action") == "AssumeRoleWithWebIdentity":
            if "authorization" in headers:
                raise sigv4.Refused(400, "InvalidRequest", "signed")
            if form.get("WebIdentityToken") != self.web_token:
                raise sigv4.Refused(400, "InvalidIdentityToken", "not a token of ours")
            source = "web:%s" % form["RoleArn"].rpartition("/")[2]
        else:
            raise sigv4.Refused(400, "InvalidAction", "no such action")
        key_id, secret, token = keys_of(source)
        self.callers[key_id] = (secret, token) # a role may take another one
        return 200, """<%(a)sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <%(a)sResult>
    <AssumedRoleUser><AssumedRoleId>ARO:x</AssumedRoleId><Arn>%(arn)s</Arn></AssumedRoleUser>
    <Credentials><AccessKeyId>%(id)s</AccessKeyId><SecretAccessKey>%(secret)s</SecretAccessKey>
      <SessionToken>%(token)s</SessionToken><Expiration>%(end)s</Expiration></Credentials>
  </%(a)sResult><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></%(a)sResponse>""" % {
            "a": form["Action"], "arn": form["RoleArn"], "id": key_id, "secret": secret, "token": token, "end": in_seconds(self.expires)}

    # -- single sign-on

    def sso(self, method, path, headers):
        q = {n: v[0] for n, v in urllib.parse.parse_qs(path.partition("?")[2]).items()}
        if headers.get("x-amz-sso_bearer_token") != self.sso_token:
            return 401, '{"message": "Session token not found or invalid"}'
        key_id, secret, token = keys_of("sso:%s:%s" % (q.get("account_id"), q.get("role_name")))
        return 200, json.dumps({"roleCredentials": {"accessKeyId": key_id, "secretAccessKey": secret, "sessionToken": token,
                                                    "expiration": int(datetime.datetime.now().timestamp() + self.expires) * 1000}})

    # -- a container's agent

    def container(self, method, headers):
        if headers.get("authorization") != self.container_token:
            return 403, '{"code": "AccessDenied", "message": "no"}'
        key_id, secret, token = keys_of("container")
        return 200, json.dumps({"RoleArn": "arn:aws:iam::1:role/task", "AccessKeyId": key_id, "SecretAccessKey": secret, "Token": token,
                                "Expiration": in_seconds(self.expires)})

    # -- EC2's metadata service

    def metadata(self, method, path, headers):
        token = "metadata-token=="
        if path == "/latest/api/token":
            if self.imds == "v1" or method != "PUT":
                return 405, ""
            if not headers.get("x-aws-ec2-metadata-token-ttl-seconds", "").isdigit():
                return 400, ""
            return 200, token
        if self.imds != "v1" and headers.get("x-aws-ec2-metadata-token") != token:
            return 401, ""
        where = path[len("/latest/meta-data/iam/security-credentials/"):]
        if where == "":
            return (404, "") if self.imds == "no role" else (200, "machine-role")
        if where != "machine-role" or self.imds == "broken":
            return 404, ""
        key_id, secret, token = keys_of("machine:" + ("v1" if self.imds == "v1" else "v2"))
        return 200, json.dumps({"Code": "Success", "LastUpdated": in_seconds(-60), "Type": "AWS-HMAC", "AccessKeyId": key_id,
                                "SecretAccessKey": secret, "Token": token, "Expiration": in_seconds(self.expires)})
