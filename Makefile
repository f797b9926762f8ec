# The entry point. `make help` lists the targets.
.DEFAULT_GOAL := release
.PHONY: release demo test install package wheel dist bench gpu-test gpu-bench torture check check-list \
	check-due format help clean setup
PREFIX ?= /usr/local

release: setup ## build the programs into build/release
	@tools/build release

demo: release ## clean the text that this machine has, and make a report of it
	@tools/demo

test: ## build and run every test
	@tools/setup test-build
	@tools/setup test & tools/build release programs tests; built=$$?; wait $$! && exit $$built
	@cmake build/release >/dev/null  # some tests exist only if the packages that they need are there
	@echo "test: unit, oracle, property, golden and README tests"
	@ctest --test-dir build/release --output-on-failure -j 3

install: release ## install programs, library, headers and manual under PREFIX (/usr/local)
	@cmake --install build/release --prefix "$(PREFIX)" >/dev/null
	@echo "install: $(DESTDIR)$(PREFIX)"

package: ## make a .deb, and an archive that needs nothing but glibc, in build/package
	@tools/setup package
	@tools/build release
	@tools/package

wheel: ## make the wheel of the Python package, in build/wheel
	@tools/setup wheel
	@tools/build release programs pyrefrain_parts
	@tools/wheel

dist: release ## make a release in build/dist: source, packages, wheel and checksums
	@tools/setup package wheel
	@tools/build release programs pyrefrain_parts
	@tools/dist

bench: release ## run the benchmarks, and keep the record
	@tools/bench

gpu-test: ## check the kernels against the CPU, on the GPU of this machine
	@tools/gpu test

gpu-bench: ## measure the kernels on the GPU of this machine, and keep the record
	@tools/gpu bench

torture: release ## fail every call, plant strangers everywhere, cut the power: minutes to hours
	@tools/setup http
	@tools/torture

check: ## run what takes too long for `make test`, in stages; STAGE=asan-1 runs one
	@tools/check $(STAGE)

check-list: ## list the stages of `make check`, and their results on this commit
	@tools/check --list

check-due: ## run the stage of `make check` that CI runs on this commit
	@tools/check --due

format: ## bring all sources into the house format
	@tools/setup format
	@tools/format

clean: ## remove everything that was built
	rm -rf build

setup:
	@tools/setup

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | sed 's/make release/make        /' | expand -t 18
