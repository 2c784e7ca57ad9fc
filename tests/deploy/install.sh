#!/bin/sh
# What tests/deploy/ plays: linters, into an environment of their own, and programs of the distribution, which root on Debian 12 or newer
# gets when they are missing. The argument is a Python with pip.
set -e
linters=.data-deploy/linters
if ! cmp -s config/locks/deploy.txt "$linters/installed"; then
    "$1" -m venv --clear --without-pip "$linters"
    "$1" -m pip --python "$linters/bin/python" install --quiet --disable-pip-version-check --no-deps --require-hashes -r config/locks/deploy.txt
    cp config/locks/deploy.txt "$linters/installed"
fi
missing=""
for pair in pgbouncer:pgbouncer nginx:nginx caddy:caddy buildah:buildah mmdebstrap:mmdebstrap systemd-nspawn:systemd-container openssl:openssl promtool:prometheus redis-server:redis-server; do
    PATH="$PATH:/usr/sbin" command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair##*:}"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "make test-deploy needs these packages of Debian, and root:$missing" >&2
    exit 1
fi
echo "Installing$missing ..."
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# Nothing is started: the tests start what they need, on ports of their own.
if [ ! -e /usr/sbin/policy-rc.d ]; then
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
    chmod +x /usr/sbin/policy-rc.d
fi
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing >/dev/null
