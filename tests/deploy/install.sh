#!/bin/sh
# Programs of the distribution that tests/deploy/ plays; root on Debian 12 or newer installs what is missing.
set -e
missing=""
for pair in pgbouncer:pgbouncer nginx:nginx caddy:caddy buildah:buildah mmdebstrap:mmdebstrap systemd-nspawn:systemd-container openssl:openssl; do
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
