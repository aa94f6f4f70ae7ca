"""What the builder makes of the host's pip configuration."""

import sys
import unittest

sys.dont_write_bytecode = True
import builder  # noqa: E402  (beside this file)


def environment(*files, in_vm=False, **variables):
    return builder.index_environment(
        {"files": files, "variables": variables, "certificates": "/c.pem", "in_vm": in_vm})


class IndexSettings(unittest.TestCase):
    def test_a_file_is_read_as_pip_reads_it_and_only_for_what_a_builder_needs(self):
        found = environment(
            "[global]\nindex-url = https://index.example/simple\n; note\nfind-links = /opt\n"
            "extra-index-url =\n    https://one.example\n    https://two.example\n[other]\n"
            "timeout = 3\n[install]\nTrusted_Host: index.example\n", "no configuration at all\n")
        self.assertEqual(found, {
            "PIP_INDEX_URL": "https://index.example/simple", "UV_DEFAULT_INDEX": "https://index.example/simple",
            "PIP_EXTRA_INDEX_URL": "https://one.example https://two.example",
            "UV_INDEX": "https://one.example https://two.example",
            "PIP_TRUSTED_HOST": "index.example", "UV_INSECURE_HOST": "index.example",
            "PIP_CERT": "/c.pem", "SSL_CERT_FILE": "/c.pem"})

    def test_later_files_win_and_variables_over_all(self):
        first, second = "[global]\nindex-url = https://a.example\nretries = 4\n", "[global]\nindex-url = https://b.example\n"
        self.assertEqual(environment(first, second)["PIP_INDEX_URL"], "https://b.example")
        found = environment(first, second, PIP_INDEX_URL="https://c.example", PIP_TIMEOUT="")
        self.assertEqual((found["PIP_INDEX_URL"], found["PIP_RETRIES"]), ("https://c.example", "4"))
        self.assertNotIn("PIP_TIMEOUT", found)

    def test_what_names_a_place_on_the_host_stays_there(self):
        found = environment("[global]\nindex-url = /srv/index\nclient-cert = /k.pem\ncert = /own.pem\n",
                            PIP_EXTRA_INDEX_URL="file:///srv/wheels /srv FILE:/x https://d.example",
                            PIP_FIND_LINKS="/opt/wheels", PIP_CONFIG_FILE="/etc/own.conf")
        self.assertEqual(found, {"PIP_EXTRA_INDEX_URL": "https://d.example", "UV_INDEX": "https://d.example",
                                 "PIP_CERT": "/c.pem", "SSL_CERT_FILE": "/c.pem"})

    def test_proxies_are_handed_on_and_pips_own_is_uvs_too(self):
        found = environment("[global]\nproxy = http://p.example:1\n", https_proxy="http://q.example:2")
        self.assertEqual((found["PIP_PROXY"], found["http_proxy"], found["https_proxy"]),
                         ("http://p.example:1", "http://p.example:1", "http://q.example:2"))

    def test_the_hosts_loopback_has_another_name_in_a_vm(self):
        found = environment(in_vm=True, PIP_INDEX_URL="http://user:word@localhost:8080/simple",
                            PIP_EXTRA_INDEX_URL="http://127.0.0.1/simple https://localhost.example/x",
                            http_proxy="127.0.0.1:3128", no_proxy="localhost")
        self.assertEqual(found["PIP_INDEX_URL"], "http://user:word@10.0.2.2:8080/simple")
        self.assertEqual(found["PIP_EXTRA_INDEX_URL"], "http://10.0.2.2/simple https://localhost.example/x")
        self.assertEqual((found["http_proxy"], found["no_proxy"]), ("10.0.2.2:3128", "localhost"))
        self.assertEqual(found["PIP_TRUSTED_HOST"], "10.0.2.2")
        self.assertNotIn("PIP_TRUSTED_HOST", environment(in_vm=True, PIP_INDEX_URL="https://index.example"))


if __name__ == "__main__":
    unittest.main()
