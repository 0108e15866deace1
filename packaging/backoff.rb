# Checked on Debian by ruby, without Homebrew; never run by it, on Linux or macOS.
# SPDX-License-Identifier: MIT
class Backoff < Formula
  desc "Retry a failing command with growing random pauses"
  # There is no public address yet: make dist writes this file in the directory
  # above, and `brew fetch` prints the sha256 to put below it.
  homepage "https://backoff.example"
  url "file://#{File.expand_path("../backoff-0.2.0.tar.xz", __dir__)}"
  license "MIT"

  # For backoff-fleet alone; backoff itself needs libc.
  depends_on "hiredis"
  depends_on "openssl@3"

  def install
    system "./configure", "--with-hiredis", *std_configure_args
    system "make"
    system "make", "install"
  end

  test do
    script = 'echo "attempt $BACKOFF_ATTEMPT"; [ "$BACKOFF_ATTEMPT" -eq 3 ]'
    assert_equal "attempt 1\nattempt 2\nattempt 3\n",
                 shell_output("#{bin}/backoff -q -n 4 -b 1ms -- sh -c '#{script}'")
    shell_output("#{bin}/backoff -qq -n 2 -b 1ms -- sh -c 'exit 7'", 7)
    shell_output("#{bin}/backoff -qq -n 1 -t 100ms -- sleep 1000", 124)
    assert_match "attempts per client",
                 shell_output("#{bin}/backoff-herd --clients=10 --outage=1m --capacity=1")
  end
end
