#!/usr/bin/env bash
# The Debian source package from a source distribution, built, looked through by lintian, and tried: in a fresh
# Debian by debootstrap where that can be had, else unpacked into an empty folder. Leaves packages in dist/debian.
#   build_deb.sh DIST.tar.gz
set -euo pipefail
cd "$(dirname "$0")/.."
sdist=$(realpath "$1")
version=$(sed -n 's/^project(geotherm VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
out=$PWD/dist/debian
rm -rf "$out"
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Two upstream tarballs: ours, and the header libraries that Debian does not have.
cp "$sdist" "$work/geotherm_$version.orig.tar.gz"
headers=$(sed -n 's/^GEOTHERM_HEADERS_DIR:PATH=//p' "${BUILD:-build}/CMakeCache.txt")
mkdir -p "$work/components/assorthead"
cp -r "$headers" "$work/components/assorthead/include"
rm -rf "$work/components/assorthead/include/Eigen" "$work/components/assorthead/include/unsupported"
tar -C "$work/components" -czf "$work/geotherm_$version.orig-assorthead.tar.gz" assorthead

tar -C "$work" -xzf "$sdist"
tree=$work/geotherm-$version
cp -r "$work/components/assorthead" "$tree/assorthead"
cp -r packaging/debian "$tree/debian"
sed "s/@VERSION@/$version/; s/@DATE@/$(date -R -d "@$(git log -1 --format=%ct 2>/dev/null || date +%s)")/" \
  packaging/debian/changelog.in >"$tree/debian/changelog"
rm "$tree/debian/changelog.in"
licence=$(sed -n '5,$p' LICENSE | sed 's/^$/./; s/^/ /')
awk -v text="$licence" '$0 == "@LICENSE@" { print text; next } { print }' packaging/debian/copyright >"$tree/debian/copyright"

(cd "$tree" && dpkg-buildpackage -us -uc --no-sign >"$work/build.log" 2>&1) ||
  { grep -m 20 -A 3 -E 'CMake Error|error:' "$work/build.log"; tail -20 "$work/build.log"; exit 1; }
mv "$work"/*.deb "$work"/*.dsc "$work"/*.orig*.tar.gz "$work"/*.debian.tar.* "$work"/*.buildinfo "$work"/*.changes "$out"
soname=$(dpkg-deb -c "$out"/libgeotherm0.1_*.deb | sed -n 's/.*\/\(libgeotherm\.so\.[0-9]*\.[0-9]*\) ->.*/\1/p')
[ "$soname" = "libgeotherm.so.${version%.*}" ] || { echo "the shared library is named '$soname'"; exit 1; }
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$out"/*.changes
  lint="lintian accepts"
else
  lint="lintian NOT RUN (not here)"
fi

# Tried where nothing else of ours is.
if [ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null &&
  debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$work/root" >"$work/debootstrap.log" 2>&1; then
  mkdir "$work/root/try" "$work/root/try/map" "$work/root/try/library"
  cp "$out"/geotherm_*.deb "$out"/libgeotherm*.deb packaging/debian/tests/map packaging/debian/tests/library "$work/root/tmp"
  cat >"$work/root/tmp/try.sh" <<'TRY'
set -e
cd /tmp
apt-get update -qq
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; }
install ./geotherm_*.deb ./libgeotherm0.1_*.deb
AUTOPKGTEST_TMP=/try/map sh ./map
install ./libgeotherm-dev_*.deb g++ cmake make
AUTOPKGTEST_TMP=/try/library sh ./library
apt-get remove -y -qq geotherm
test ! -e /usr/bin/geotherm
TRY
  chroot "$work/root" sh /tmp/try.sh >"$work/try.log" 2>&1 || { tail -n 20 "$work/try.log"; exit 1; }
  where="installed by apt in a fresh Debian (debootstrap), debian/tests pass (program, library), removed"
else
  for package in "$out"/geotherm_*.deb "$out"/libgeotherm0.1_*.deb; do dpkg-deb -x "$package" "$work/unpacked"; done
  library=$(dirname "$(find "$work/unpacked" -name 'libgeotherm.so.*' | head -1)")
  (cd "$work" && LD_LIBRARY_PATH=$library "$work/unpacked/usr/bin/geotherm" demo >/dev/null)
  where="unpacked and run (no debootstrap here)"
fi
echo "dpkg-buildpackage ($soname, the system's Eigen); $lint; $where: geotherm demo leaves its page"
