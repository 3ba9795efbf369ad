"""A certificate authority for one test run, and certificates that are right or wrong in one stated way."""
import datetime, ipaddress, os

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NOW = datetime.datetime.now(datetime.timezone.utc)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def write(path, *parts):
    with open(path, "wb") as f:
        f.write(b"".join(parts))
    return path


def pem_of_key(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


class Authority:
    def __init__(self, folder, common_name="nczarr test CA"):
        self.folder, self.key, self.name = folder, ec.generate_private_key(ec.SECP256R1()), name(common_name)
        self.certificate = self.sign(self.name, self.key.public_key(), [(x509.BasicConstraints(True, None), True)])
        self.file = write(os.path.join(folder, common_name.replace(" ", "-") + ".pem"), self.pem)

    @property
    def pem(self):
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    def sign(self, subject, public_key, extensions, before=-1, after=2):
        b = x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(public_key)
        b = b.serial_number(x509.random_serial_number())
        b = b.not_valid_before(NOW + datetime.timedelta(days=before)).not_valid_after(NOW + datetime.timedelta(days=after))
        for extension, critical in extensions:
            b = b.add_extension(extension, critical)
        return b.sign(self.key, hashes.SHA256())

    def issue(self, label, hosts=("localhost", "*.localhost"), addresses=("127.0.0.1", "127.0.0.2"), before=-1, after=2, own_key=True):
        """(certificate file, key file)"""
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName(h) for h in hosts] + [x509.IPAddress(ipaddress.ip_address(a)) for a in addresses]
        certificate = self.sign(name(label), key.public_key(), [(x509.SubjectAlternativeName(names), False),
                                                               (x509.BasicConstraints(False, None), True)], before, after)
        return (write(os.path.join(self.folder, label + ".crt"), certificate.public_bytes(serialization.Encoding.PEM)),
                write(os.path.join(self.folder, label + ".key"), pem_of_key(key)))
