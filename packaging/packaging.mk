# SPDX-License-Identifier: MIT
#
# make dist          build/admit-VERSION.tar.gz: the sources, the same bytes for the same sources
# make deb           packages for Debian in build/deb, made of that; some 30 seconds, since the broken variants for tests are left out

DIST = $(BUILD)/admit-$(VERSION).tar.gz

dist:
	@sh packaging/dist.sh $(DIST)

# With a make of its own, and flags of Debian's.
deb: dist
	@CC='$(CC)' sh packaging/deb.sh $(DIST) $(BUILD)/deb

.PHONY: dist deb
