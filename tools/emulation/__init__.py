"""Parts of tools/arm64: a build for Arm's 64 bits whose programs qemu runs."""
