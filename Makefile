# SPDX-License-Identifier: GPL-2.0
# gdr-telemetry: entry points only. What they do is in kmod/, tools/gdrctl/ and tests/.

VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"$$/\1/p' dkms.conf)

KVER   ?= $(shell uname -r)
KDIR   ?= /lib/modules/$(KVER)/build
PREFIX ?= /usr/local
DESTDIR ?=

# The scripts and makefiles below take it from here; a relative one is relative to this directory.
export GDRT_BUILD := $(abspath $(or $(GDRT_BUILD),build))

DKMS         ?= dkms
DKMS_SRC     ?= /usr/src/gdr-telemetry-$(VERSION)
MODULES_LOAD ?= /etc/modules-load.d

.PHONY: all help module tools demo uapi style
.PHONY: check check-host check-full check-debug kernels
.PHONY: install uninstall dkms-source dkms-install dkms-uninstall deb rpm clean

ifneq ($(wildcard $(KDIR)/Makefile),)
all: module
endif
all: tools

help:
	@echo 'Build'
	@echo '  all             gdrctl, and the module if the headers of KVER are installed'
	@echo '  module          kmod/gdr_telemetry.ko for KVER (now $(KVER))'
	@echo '                  OFED=/usr/src/ofa_kernel/default: for OFED'"'"'s ib_core, with its headers'
	@echo '  tools           gdrctl'
	@echo '  clean           remove what was built; the download cache stays'
	@echo 'Use on this machine (root)'
	@echo '  dkms-install    build and install the module with DKMS, load it at boot'
	@echo '  dkms-uninstall  take that back'
	@echo '  install         gdrctl, its man pages and completion into $$(DESTDIR)$$(PREFIX)'
	@echo '  uninstall       take that back'
	@echo 'Packages'
	@echo '  deb             gdr-telemetry-dkms, gdrctl and gdrctl-extra for Debian, into build/deb'
	@echo '  rpm             the same for Fedora and RHEL, into build/rpm'
	@echo 'Try it without hardware'
	@echo '  demo            boot a VM with two simulated HCAs and two GPUs and watch registrations'
	@echo 'Test'
	@echo '  check           what CI runs: host checks, then the suites in VMs'
	@echo '  check-host      only what needs no VM: build, style, packaging, documents'
	@echo '  check-full      every suite on every kernel'
	@echo '  check-debug     the suites on debug kernels'
	@echo '  kernels         build the module for the newest kernels of Debian, gcc and clang'
	@echo 'Develop'
	@echo '  style           the style and static checks alone'
	@echo '  uapi            write include/uapi/linux/gdr_telemetry.h from the netlink spec'

module:
	$(MAKE) -C $(KDIR) M=$(CURDIR)/kmod $(if $(OFED),GDRT_OFED=$(OFED)) modules

tools:
	$(MAKE) -C tools/gdrctl

# On another kernel of tests/vm/kernels.table: make demo KERNEL=7.3
KERNEL ?= 6.12

demo:
	tests/vm/prepare --kernel $(KERNEL)
	$(MAKE) -s tools
	$(MAKE) -s -C tests/sim
	$(MAKE) -s -C tests/demo
	tests/vm/run --kernel $(KERNEL) --root initramfs --gpus 2 --hcas 2 --live -- /gdrt/tests/demo/demo.sh

check check-host check-full check-debug:
	tests/run $@

kernels:
	tests/vm/build-kernels

style:
	tests/run check-host style

uapi:
	tests/host/uapi.sh --write

install uninstall:
	$(MAKE) -C tools/gdrctl $@ DESTDIR=$(DESTDIR) PREFIX=$(PREFIX)

# What DKMS builds from, alone. DKMS 3.0 runs "make clean" on its root.
dkms-source:
	rm -rf $(DESTDIR)$(DKMS_SRC)
	install -d $(DESTDIR)$(DKMS_SRC)/kmod
	cp -R dkms.conf include LICENSES $(DESTDIR)$(DKMS_SRC)/
	cp $(filter-out %.mod.c,$(wildcard kmod/Kbuild* kmod/*.[ch])) $(DESTDIR)$(DKMS_SRC)/kmod/
	echo 'obj-m := kmod/' >$(DESTDIR)$(DKMS_SRC)/Kbuild

dkms-install:
	@command -v $(firstword $(DKMS)) >/dev/null || \
		{ echo 'dkms-install needs: apt-get install dkms linux-headers-$(KVER)' >&2; exit 1; }
	@$(DKMS) remove gdr-telemetry/$(VERSION) --all >/dev/null 2>&1 || :
	$(MAKE) dkms-source DESTDIR=
	$(DKMS) add gdr-telemetry/$(VERSION)
	$(DKMS) install gdr-telemetry/$(VERSION) -k $(KVER)
	install -d $(MODULES_LOAD)
	echo gdr_telemetry >$(MODULES_LOAD)/gdr-telemetry.conf

dkms-uninstall:
	rm -f $(MODULES_LOAD)/gdr-telemetry.conf
	-$(DKMS) remove gdr-telemetry/$(VERSION) --all
	rm -rf $(DKMS_SRC)

deb rpm:
	packaging/$@/build

clean:
	rm -rf build
	find kmod -name '*.o' -delete -o -name '*.ko' -delete -o -name '.*.cmd' -delete
	rm -f kmod/*.mod kmod/*.mod.c kmod/Module.symvers kmod/modules.order
