/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <regex.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/judge/verdict.h"
#include "core/known/tools.h"
#include "unit/tap.h"

#define TOOLS 64

/* As the tables have them. */
#define STOP VERDICT_STOP
#define SUCCESS VERDICT_SUCCESS
#define PASS VERDICT_PASS
#define THROTTLE VERDICT_THROTTLE
#define RETRY VERDICT_RETRY

/* The status and stderr of a tool, and the verdict that is expected. */
struct sample {
	const char *tool; /* or several, with blanks between */
	int status;
	enum verdict verdict;
	const char *meaning; /* NULL: it is not in the table */
	const char *text; /* on stderr, or on stdout */
};

/* The status of a tool, and a line that says nothing about it. */
struct ordinary {
	const char *tool;
	int status;
	const char *text;
};

/* The messages of a tool, and whether a sample was decided by each. */
struct compiled {
	const struct tool *tool;
	size_t count;
	struct tool_row messages[TOOL_MESSAGES];
	regex_t regexes[TOOL_MESSAGES];
	bool decided[TOOL_MESSAGES];
};

static struct compiled compiled[TOOLS];

/* How skopeo begins what ends it. */
#define FATAL "time=\"2026-11-23T07:23:13Z\" level=fatal msg=\""

/*
 * As the tools have written them, with short names. A text may end where no
 * row looks any more.
 */
static const struct sample samples[] = {
	{ "sysexits", 75, RETRY, "temporary failure", "" },

	{ "curl", 2, STOP, "bad option, or failed to initialize",
	    "curl: option --bad: is unknown" },
	{ "curl", 60, STOP, "server certificate not verified",
	    "curl: (60) SSL certificate problem: self-signed certificate" },
	{ "curl", 101, RETRY, NULL, "" },
	{ "curl", 22, RETRY, "HTTP error of the server",
	    "curl: (22) The requested URL returned error: 408" },
	{ "curl", 22, RETRY, "HTTP error of the server",
	    "curl: (22) The requested URL returned error: 522" },
	{ "curl", 22, THROTTLE, "HTTP 429: too many requests",
	    "curl: (22) The requested URL returned error: 429" },
	{ "curl", 22, STOP, "HTTP 404 or 410: not found",
	    "curl: (22) The requested URL returned error: 404" },
	{ "curl", 22, STOP, "HTTP 401, 403 or 407: not authorized",
	    "curl: (22) The requested URL returned error: 403" },
	{ "curl", 22, STOP, "HTTP error that will not pass",
	    "curl: (22) The requested URL returned error: 451" },
	{ "curl", 22, STOP, "HTTP error that will not pass",
	    "curl: (22) The requested URL returned error: 501" },
	{ "curl", 25, STOP, "FTP upload denied",
	    "curl: (25) Failed FTP upload: 553" },

	{ "wget", 8, RETRY, "HTTP error of the server",
	    "2026-11-21 15:52:27 ERROR 503: Service Unavailable." },
	{ "wget", 8, THROTTLE, "HTTP 429: too many requests",
	    "2026-11-21 15:52:27 ERROR 429: Too Many Requests." },
	{ "wget", 8, STOP, "HTTP error that will not pass",
	    "2026-11-21 15:52:27 ERROR 404: Not Found." },
	{ "wget", 8, STOP, "FTP file not found", "No such file 'README'." },
	{ "wget", 1, STOP, "cannot write there",
	    "/nosuch/x: No such file or directory" },

	{ "rsync", 1, STOP, "module is read only",
	    "@ERROR: module is read only" },
	{ "rsync", 5, STOP, "access denied by the daemon",
	    "@ERROR: auth failed on module auth" },
	{ "rsync", 5, STOP, "no such module",
	    "@ERROR: Unknown module 'nosuch'" },
	{ "rsync", 5, THROTTLE, "daemon has too many connections",
	    "@ERROR: max connections (1) reached -- try again later" },
	{ "rsync", 5, RETRY, "could not start the session",
	    "rsync: server sent \"HTTP/1.1 400 Bad Request\" rather than "
	    "greeting" },
	{ "rsync", 11, STOP, "no space or read-only",
	    "rsync: [receiver] write failed on \"/mnt/big\": No space left on "
	    "device (28)" },
	{ "rsync", 11, STOP, "cannot use the destination",
	    "rsync: [Receiver] mkdir \"/nosuch/y/z\" failed: No such file or "
	    "directory (2)" },
	{ "rsync", 11, RETRY, "file I/O error",
	    "rsync: read errors mapping \"/mnt/x\": Input/output error (5)" },
	{ "rsync", 12, RETRY, "data stream broke",
	    "rsync: opendir \"/srv/lost+found\" failed: Permission denied "
	    "(13)" },
	{ "rsync", 12, STOP, "no rsync on the remote side",
	    "bash: line 1: nosuch: command not found" },
	{ "rsync", 12, STOP, "no rsync on the remote side",
	    "dash: 1: nosuch: not found" },
	{ "rsync", 12, STOP, "no rsync on the remote side",
	    "zsh:1: command not found: nosuch" },
	{ "rsync", 12, STOP, "bad option of ssh", "Bad port 'xx'" },
	{ "rsync", 12, STOP, "bad option of ssh",
	    "command-line: line 0: Bad configuration option: foo" },
	{ "rsync", 255, STOP, "bad option of ssh",
	    "Can't open user config file /nosuch: No such file or directory" },
	{ "rsync", 14, STOP, "remote shell not found",
	    "rsync: [Receiver] Failed to exec nosuch: No such file or "
	    "directory (2)" },
	{ "rsync", 23, STOP, "some files cannot be transferred",
	    "rsync: [sender] link_stat \"/nosuch\" failed: No such file or "
	    "directory (2)" },
	{ "rsync", 23, RETRY, "some files were not transferred",
	    "ERROR: x failed verification -- update discarded." },
	{ "rsync", 255, RETRY, "could not connect to host",
	    "ssh: connect to host 127.0.0.1 port 1: Connection refused" },
	{ "rsync", 255, RETRY, "could not resolve host",
	    "ssh: Could not resolve hostname nosuch: Name or service not" },
	{ "rsync", 255, STOP, "login denied",
	    "root@127.0.0.1: Permission denied (publickey,password)." },
	{ "rsync", 255, STOP, "host key verification failed",
	    "Host key verification failed." },

	{ "ssh scp", 255, RETRY, "connection refused",
	    "ssh: connect to host 127.0.0.1 port 1: Connection refused" },
	{ "ssh scp", 255, RETRY, "could not resolve host",
	    "ssh: Could not resolve hostname nosuch: Name or service not" },
	{ "ssh scp", 255, RETRY, "timed out",
	    "Connection timed out during banner exchange" },
	{ "ssh scp", 255, RETRY, "timed out",
	    "ssh: connect to host 10.0.0.1 port 22: Connection timed out" },
	{ "ssh scp", 255, RETRY, "timed out",
	    "Timeout, server 10.0.0.1 not responding." },
	{ "ssh scp", 255, RETRY, "connection lost",
	    "Connection to 127.0.0.1 closed by remote host." },
	{ "ssh scp", 255, STOP, "login denied",
	    "root@127.0.0.1: Permission denied (publickey,password)." },
	{ "ssh scp", 255, STOP, "login denied",
	    "Received disconnect from 127.0.0.1 port 22:2: Too many "
	    "authentication failures" },
	{ "ssh scp", 255, STOP, "host key verification failed",
	    "Host key verification failed.\r" },
	{ "ssh scp", 255, STOP, "no common algorithm",
	    "Unable to negotiate with 127.0.0.1 port 18022: no matching" },
	{ "ssh", 255, STOP, "bad usage",
	    "unknown option -- -\nusage: ssh [-46AaCfGgKkMNnqsTtVvXxYy]" },
	{ "ssh scp", 255, STOP, "bad configuration",
	    "command-line: line 0: Bad configuration option: foo" },
	{ "scp", 255, STOP, "bad usage",
	    "unknown option -- -\nusage: scp [-346ABCOpqRrsTv]" },
	{ "ssh", 255, STOP, "bad usage", "Bad port '1x'" },
	{ "ssh", 255, STOP, "bad usage", "Unknown cipher type 'foo'" },
	{ "ssh", 255, STOP, "bad usage",
	    "Bad local forwarding specification 'foo'" },
	{ "ssh", 255, STOP, "bad usage", "Invalid -J argument" },
	{ "ssh", 255, STOP, "bad configuration",
	    "Can't open user config file /nosuch: No such file or directory" },
	{ "scp", 255, STOP, "bad usage", "scp: bad port \"1x\"\r" },
	{ "sftp", 255, STOP, "bad usage", "Bad port \"x\"\r" },
	{ "scp", 255, STOP, "file cannot be copied",
	    "scp: stat local \"nofile\": No such file or directory\r" },
	{ "ssh", 1, STOP, "the remote command's own status",
	    "ssh: connect to host 127.0.0.1 port 1: Connection refused" },
	{ "scp", 1, STOP, "file cannot be copied",
	    "scp: dest open \"/nosuch/x/y\": No such file or directory" },
	{ "scp", 1, STOP, "host key verification failed",
	    "Host key verification failed." },
	{ "sftp", 1, STOP, "file cannot be copied",
	    "File \"/nosuch\" not found." },

	{ "git", 128, RETRY, "could not connect to host",
	    "ssh: connect to host 127.0.0.1 port 1: Connection refused" },
	{ "git", 128, RETRY, "could not resolve host",
	    "fatal: unable to access 'http://nosuch/r.git/': Could not "
	    "resolve" },
	{ "git", 1, RETRY, "could not resolve host",
	    "fatal: unable to look up nosuch (port 9418) (Name or service" },
	{ "git", 128, RETRY, "HTTP error of the server",
	    "fatal: unable to access 'http://host/r.git/': The requested URL "
	    "returned error: 503" },
	{ "git", 128, THROTTLE, "too many requests",
	    "fatal: unable to access 'http://host/r.git/': The requested URL "
	    "returned error: 429" },
	{ "git", 128, STOP, "HTTP error that will not pass",
	    "fatal: unable to access 'http://host/r.git/': The requested URL "
	    "returned error: 403" },
	{ "git", 128, STOP, "repository not found",
	    "fatal: repository '/nosuch/r.git' does not exist" },
	{ "git", 128, STOP, "repository not found",
	    "ERROR: Repository not found." },
	{ "git", 128, STOP, "no git repository there",
	    "fatal: '/nosuch' does not appear to be a git repository" },
	{ "git", 128, STOP, "not in a git repository",
	    "fatal: not a git repository (or any of the parent directories)" },
	{ "git", 128, STOP, "login denied",
	    "fatal: could not read Username for 'http://127.0.0.1:18080'" },
	{ "git", 128, STOP, "login denied",
	    "root@127.0.0.1: Permission denied (publickey,password)." },
	{ "git", 128, STOP, "host key verification failed",
	    "Host key verification failed." },
	{ "git", 128, STOP, "server certificate not verified",
	    "fatal: unable to access 'https://host/r.git/': SSL certificate "
	    "problem" },
	{ "git", 128, STOP, "no such ref",
	    "fatal: couldn't find remote ref nosuch" },
	{ "git", 128, STOP, "destination exists",
	    "fatal: destination path 'c1' already exists and is not an empty" },
	{ "git", 128, STOP, "branches have diverged",
	    "fatal: Not possible to fast-forward, aborting." },
	{ "git", 128, STOP, "no such revision",
	    "fatal: ambiguous argument 'nosuch': unknown revision or path" },
	{ "git", 1, STOP, "push rejected",
	    " ! [rejected]        master -> master (fetch first)" },
	{ "git", 1, STOP, "push declined by the remote",
	    " ! [remote rejected] master -> master (pre-receive hook "
	    "declined)" },
	{ "git", 1, RETRY, "locked by another git",
	    " ! [remote rejected] master -> master (failed to update ref)" },
	{ "git", 128, RETRY, "locked by another git",
	    "fatal: Unable to create '/srv/g/.git/index.lock': File exists." },
	{ "git", 1, STOP, "nothing of that name",
	    "error: pathspec 'nosuch' did not match any file(s) known to git" },
	{ "git", 1, STOP, "local changes in the way",
	    "error: Your local changes to the following files would be "
	    "overwritten by merge:" },
	{ "git", 128, STOP, "no space or read-only",
	    "fatal: write error: No space left on device" },
	{ "git", 1, RETRY, "HTTP error of the server",
	    "error: RPC failed; HTTP 503 curl 22 The requested URL returned" },
	{ "git", 128, RETRY, "connection lost",
	    "error: RPC failed; curl 92 HTTP/2 stream 0 was not closed" },
	{ "git", 128, RETRY, "timed out",
	    "ssh: connect to host 10.0.0.1 port 22: Connection timed out" },
	{ "git", 128, STOP, "conflict to be resolved",
	    "error: Cherry-picking is not possible because you have unmerged "
	    "files." },
	{ "git", 1, STOP, "conflict to be resolved",
	    "Rebasing (1/1)\rerror: could not apply 12cfc6d... three" },
	{ "git", 1, STOP, "conflict to be resolved",
	    "error: could not revert 743db52... one" },
	{ "git", 1, STOP, "nothing of that name",
	    "error: src refspec nosuch does not match any" },
	{ "git", 128, STOP, "no upstream branch",
	    "fatal: The current branch new has no upstream branch." },
	{ "git", 128, STOP, "no upstream branch",
	    "fatal: You are not currently on a branch." },
	{ "git", 128, STOP, "not offered by the daemon",
	    "fatal: remote error: access denied or repository not exported: "
	    "/a.git" },
	{ "git", 128, STOP, "not offered by the daemon",
	    "fatal: remote error: no such repository: /nosuch.git" },
	{ "git", 128, STOP, "not offered by the daemon",
	    "fatal: remote error: service not enabled: /a.git" },
	{ "git", 128, STOP, "too many redirects",
	    "fatal: unable to access 'http://host/a.git/': Maximum (20) "
	    "redirects followed" },
	{ "git", 128, STOP, "no git repository there",
	    "fatal: http://host/a.git/info/refs not valid: is this a git "
	    "repository?" },
	{ "git", 128, STOP, "no git repository there",
	    "fatal: unable to access 'http://host:99999/': URL using "
	    "bad/illegal format" },
	{ "git", 128, STOP, "no git on the remote side",
	    "dash: 1: /nosuch/git-upload-pack: not found" },
	{ "git", 128, STOP, "no git on the remote side",
	    "bash: line 1: /nosuch/git-receive-pack: No such file or "
	    "directory" },
	{ "git", 1, STOP, "patch cannot be applied",
	    "error: patch failed: f:1\nerror: f: patch does not apply" },
	{ "git", 128, STOP, "patch cannot be applied",
	    "error: corrupt patch at line 6" },
	{ "git", 128, STOP, "patch cannot be applied",
	    "error: No valid patches in input (allow with \"--allow-empty\")" },
	{ "git", 128, STOP, "patch cannot be applied",
	    "Patch format detection failed." },

	{ "apt-get", 0, RETRY, "index files could not be downloaded",
	    "W: Some index files failed to download. They have been ignored, "
	    "or" },
	{ "apt-get", 100, STOP, "no such package",
	    "E: Unable to locate package nosuchpackage" },
	{ "apt-get", 100, STOP, "no such version",
	    "E: Version '99' for 'zsh' was not found" },
	{ "apt-get", 100, STOP, "dependencies cannot be met",
	    "E: Unable to correct problems, you have held broken packages." },
	{ "apt-get", 100, STOP, "bad usage",
	    "E: Command line option --bad is not understood in combination" },
	{ "apt-get", 100, STOP, "not permitted",
	    "E: Could not open lock file /var/lib/dpkg/lock-frontend - open "
	    "(13: Permission denied)" },
	{ "apt-get", 100, STOP, "system needs a repair, or space",
	    "E: dpkg was interrupted, you must manually run" },
	{ "apt-get", 100, STOP, "HTTP error that will not pass",
	    "E: Failed to fetch http://host/Packages  404  Not Found" },
	{ "apt-get", 100, STOP, "system needs a repair, or space",
	    "E: Failed to fetch http://host/a.deb  Error writing to file - "
	    "write (28: No space left on device)" },
	{ "apt-get", 100, STOP, "bad list of sources",
	    "E: The list of sources could not be read." },
	{ "apt-get", 100, STOP, "no such repository",
	    "E: The repository 'http://host stable Release' does not have a "
	    "Release file." },
	{ "apt-get", 100, THROTTLE, "HTTP 429: too many requests",
	    "E: Failed to fetch http://host/a.deb  429  Too Many Requests" },
	{ "apt-get", 100, RETRY, "HTTP error of the server",
	    "E: Failed to fetch http://host/InRelease  503  Service" },
	{ "apt-get", 100, RETRY, "could not connect to host",
	    "E: Failed to fetch http://host/InRelease  Could not connect to" },
	{ "apt-get", 100, RETRY, "could not resolve host",
	    "E: Failed to fetch http://nosuch/InRelease  Could not resolve" },
	{ "apt-get", 100, RETRY, "locked by another process",
	    "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held" },
	{ "apt-get", 100, RETRY, "mirror is being updated",
	    "E: Failed to fetch http://example.org/x.deb  File has unexpected "
	    "size" },
	{ "apt-get", 100, RETRY, "error",
	    "E: Sub-process /usr/bin/dpkg returned an error code (1)" },

	/* No such package, connection refused, 404, 503: all look the same. */
	{ "pip", 1, RETRY, "no such package, or no answer from the index",
	    "ERROR: No matching distribution found for nosuch" },
	{ "pip3", 1, RETRY, "could not connect to the index",
	    "WARNING: Retrying (Retry(total=0, connect=None)) after connection "
	    "broken by 'NewConnectionError('<HTTPConnection object>: Failed to "
	    "establish a new connection: [Errno -2] Name or service not "
	    "known')'\nERROR: No matching distribution found for nosuch" },
	{ "pip", 2, RETRY, "could not connect to the index",
	    "ConnectionRefusedError: [Errno 111] Connection refused" },
	{ "pip", 2, STOP, "bad usage", "no such option: --bad" },
	{ "pip", 1, STOP, "bad usage", "ERROR: unknown command \"nosuch\"" },
	{ "pip", 1, STOP, "bad requirements",
	    "ERROR: Could not open requirements file: [Errno 2] No such file" },
	{ "pip", 1, STOP, "HTTP error that will not pass",
	    "  ERROR: HTTP error 404 while getting http://host/x-1.0.tar.gz" },
	{ "pip", 1, THROTTLE, "HTTP 429: too many requests",
	    "  ERROR: HTTP error 429 while getting http://host/x-1.0.tar.gz" },
	{ "pip", 1, RETRY, "HTTP error of the server",
	    "ERROR: Could not install packages due to an OSError: Max retries "
	    "exceeded (Caused by ResponseError('too many 503 error "
	    "responses'))" },
	{ "pip", 2, RETRY, "connection lost",
	    "pip._vendor.urllib3.exceptions.ReadTimeoutError" },
	{ "pip", 1, STOP, "environment is managed by the system",
	    "error: externally-managed-environment" },
	{ "pip", 1, STOP, "packages do not fit",
	    "ERROR: ResolutionImpossible: for help visit" },
	{ "pip", 1, STOP, "no space, or not permitted",
	    "ERROR: Could not install packages due to an OSError: [Errno 13]" },

	{ "npm", 1, RETRY, "could not reach the registry",
	    "npm error code ECONNREFUSED" },
	{ "npm", 1, RETRY, "could not reach the registry",
	    "npm ERR! code ETIMEDOUT" },
	{ "npx", 1, RETRY, "could not resolve host",
	    "npm error code ENOTFOUND\nnpm error syscall getaddrinfo" },
	{ "npm", 1, RETRY, "HTTP error of the server", "npm error code E503" },
	{ "npm", 1, THROTTLE, "HTTP 429: too many requests",
	    "npm error code E429" },
	{ "npm", 1, STOP, "HTTP error that will not pass",
	    "npm error code E404" },
	{ "npm", 1, STOP, "HTTP error that will not pass",
	    "npm ERR! code E401" },
	{ "npm", 1, STOP, "server certificate not verified",
	    "npm error code DEPTH_ZERO_SELF_SIGNED_CERT" },
	{ "npm", 1, STOP, "server certificate not verified",
	    "npm error code SELF_SIGNED_CERT_IN_CHAIN" },
	{ "npm", 1, STOP, "server certificate not verified",
	    "npm error code UNABLE_TO_VERIFY_LEAF_SIGNATURE" },
	{ "npm", 1, STOP, "server certificate not verified",
	    "npm error code UNABLE_TO_GET_ISSUER_CERT_LOCALLY" },
	{ "npm", 1, STOP, "server certificate not verified",
	    "npm error code CERT_HAS_EXPIRED" },
	{ "npm", 1, STOP, "server certificate not verified",
	    "npm error code ERR_TLS_CERT_ALTNAME_INVALID" },
	{ "npm", 1, STOP, "login needed", "npm error code ENEEDAUTH" },
	{ "npm", 1, STOP, "bad usage", "npm error code EUSAGE" },
	{ "npm", 1, STOP, "packages do not fit", "npm error code ERESOLVE" },
	{ "npm", 1, STOP, "files cannot be read or written",
	    "npm error code ENOENT" },
	{ "npm", 1, STOP, "no such script",
	    "npm error Missing script: \"nosuch\"" },

	{ "docker", 125, RETRY, "could not connect to the daemon",
	    "docker: Cannot connect to the Docker daemon at" },
	{ "docker", 1, RETRY, "could not connect to the daemon",
	    "error during connect: Get" },
	{ "docker", 1, STOP, "image not found",
	    "Error response from daemon: manifest for x:latest not found" },
	{ "docker", 125, STOP, "image not found",
	    "docker: Error response from daemon: pull access denied for x, "
	    "repository does not exist" },
	{ "docker", 1, STOP, "access denied by the registry",
	    "denied: requested access to the resource is denied" },
	{ "docker", 1, THROTTLE, "registry limits the rate",
	    "Error response from daemon: toomanyrequests: You have reached" },
	{ "docker", 125, RETRY, "could not resolve host",
	    "docker: Error response from daemon: Get \"https://nosuch/v2/\": "
	    "dial tcp: lookup nosuch on 10.0.0.1:53: no such host." },
	{ "docker", 1, RETRY, "could not connect to the registry",
	    "Error response from daemon: Get \"http://host/v2/\": dial tcp "
	    "10.0.0.1:80: connect: connection refused" },
	{ "docker", 125, RETRY, "timed out",
	    "docker: Error response from daemon: Get "
	    "https://registry-1.docker.io/v2/: net/http: TLS handshake "
	    "timeout" },
	{ "docker", 1, RETRY, "HTTP error of the registry",
	    "Error response from daemon: received unexpected HTTP status: "
	    "503" },
	{ "skopeo", 1, STOP, "image not found",
	    FATAL "Error parsing image name \\\"docker://host/x\\\": reading "
	          "manifest latest in host/x: name unknown: repository" },
	{ "skopeo", 1, STOP, "image not found",
	    FATAL "Error parsing image name \\\"docker://host/x\\\": reading "
	          "manifest latest in host/x: StatusCode: 404" },
	{ "skopeo", 1, STOP, "image not found",
	    FATAL "initializing source oci:nosuch:x: open nosuch/index.json: "
	          "no such file or directory\"" },
	{ "skopeo", 1, STOP, "image not found",
	    FATAL
	    "Error parsing image name \\\"docker-archive:/nosuch\\\": opening "
	    "file \\\"/nosuch\\\": open /nosuch: no such file or directory\"" },
	{ "skopeo", 1, STOP, "image not found",
	    FATAL "Error parsing image name \\\"docker://host/x\\\": reading "
	          "manifest latest in host/x: manifest unknown\"" },
	{ "podman", 125, STOP, "access denied by the registry",
	    "Error: initializing source docker://host/x: reading manifest "
	    "latest in host/x: denied" },
	{ "skopeo", 1, STOP, "access denied by the registry",
	    FATAL "Error parsing image name \\\"docker://host/x\\\": reading "
	          "manifest latest in host/x: unauthorized: authentication" },
	{ "skopeo", 1, STOP, "access denied by the registry",
	    FATAL "initializing source docker://host/x: reading manifest "
	          "latest in host/x: errors:\\ndenied: requested" },
	{ "skopeo", 1, STOP, "access denied by the registry",
	    FATAL
	    "initializing source docker://host/x: Requesting bearer token: "
	    "invalid status code from registry 403 (Forbidden)\"" },
	{ "skopeo", 1, STOP, "access denied by the registry",
	    FATAL
	    "trying to reuse blob sha256:3f9f at destination: failed to read "
	    "from destination repository denied: 403 (Forbidden)\"" },
	{ "skopeo", 1, STOP, "access denied by the registry",
	    FATAL "logging into \\\"127.0.0.1:19701\\\": invalid "
	          "username/password\"" },
	{ "skopeo", 1, STOP, "server certificate not verified",
	    FATAL
	    "initializing source docker://host/x: pinging container registry "
	    "host: Get \\\"https://host/v2/\\\": x509: certificate" },
	{ "skopeo", 1, STOP, "bad usage", FATAL "unknown flag: --bad\"" },
	{ "skopeo", 1, STOP, "bad usage",
	    FATAL "Unrecognized command `skopeo nosuch`\\nTry 'skopeo" },
	{ "skopeo", 1, STOP, "bad image name",
	    FATAL
	    "Invalid source name docker://Bad: invalid reference format" },
	{ "skopeo", 1, STOP, "bad image name",
	    FATAL "Invalid source name nosuch:x: Invalid image name" },
	{ "skopeo", 1, STOP, "no space left",
	    FATAL "writing blob: write dir/blob2: no space left on device\"" },
	{ "skopeo", 1, THROTTLE, "registry limits the rate",
	    FATAL "initializing source docker://host/x: too many requests to "
	          "registry\"" },
	{ "skopeo", 1, THROTTLE, "registry limits the rate",
	    FATAL
	    "trying to reuse blob sha256:3f9f at destination: failed to read "
	    "from destination repository many: 429 (Too Many Requests)\"" },
	{ "skopeo", 1, RETRY, "HTTP error of the registry",
	    FATAL
	    "Error parsing image name \\\"docker://host/x\\\": reading "
	    "manifest latest in host/x: received unexpected HTTP status: 503" },
	{ "skopeo", 1, RETRY, "HTTP error of the registry",
	    FATAL "initializing source docker://host/x: Requesting bearer "
	          "token: invalid status code from registry 500 (Internal" },
	{ "skopeo", 1, RETRY, "could not resolve host",
	    FATAL "initializing source docker://nosuch/x:latest: pinging "
	          "container registry nosuch: Get \\\"https://nosuch/v2/\\\": "
	          "dial tcp: lookup nosuch on 10.0.0.1:53: no such host\"" },
	{ "skopeo", 1, RETRY, "could not connect to the registry",
	    FATAL "initializing source docker://host/x: pinging container "
	          "registry host: Get \\\"http://host/v2/\\\": dial tcp "
	          "10.0.0.1:80: connect: connection refused\"" },
	{ "skopeo", 1, RETRY, "timed out",
	    FATAL "Error parsing image name \\\"docker://host/x\\\": pinging "
	          "container registry host: Get \\\"http://host/v2/\\\": "
	          "context deadline exceeded\"" },
	{ "skopeo", 1, RETRY, "failed",
	    FATAL "initializing source docker-daemon:x:y: loading image from "
	          "docker engine: Cannot connect to the Docker daemon\"" },

	{ "podman", 125, STOP, "image not found",
	    "Error: initializing source docker://host/x: reading manifest "
	    "latest in host/x: manifest unknown" },
	{ "podman", 125, STOP, "access denied by the registry",
	    "Error: initializing source docker://host/x: reading manifest "
	    "latest in host/x: denied: requested" },
	{ "podman", 125, STOP, "access denied by the registry",
	    "denied: requested access to the resource is denied" },
	{ "podman", 125, STOP, "server certificate not verified",
	    "Error: initializing source docker://host/x: pinging container "
	    "registry host: Get \"https://host/v2/\": x509: certificate" },
	{ "podman", 125, STOP, "bad image name",
	    "Error: repository name must be lowercase" },
	{ "podman", 125, STOP, "bad image name",
	    "Error: short-name \"nosuchshort\" did not resolve to an alias" },
	{ "podman", 125, STOP, "no such object",
	    "Error: nosuch: image not known" },
	{ "podman", 125, STOP, "no such object",
	    "Error: no container with name or ID \"nosuch\" found: no such "
	    "container" },
	{ "buildah", 125, STOP, "no such object",
	    "Error: reading build container \"nosuch\": container not known" },
	{ "buildah", 125, STOP, "bad usage",
	    "Error: unknown command \"bad\" for \"buildah\"" },
	{ "podman", 125, STOP, "bad usage",
	    "Error: requires at least 1 arg(s), only received 0" },
	{ "podman", 125, STOP, "no space left",
	    "Error: writing blob: storing blob to file \"/var/tmp/1\": write "
	    "/var/tmp/1: no space left on device" },
	{ "podman", 125, THROTTLE, "registry limits the rate",
	    "Error: initializing source docker://host/x: reading manifest "
	    "latest in host/x: toomanyrequests: You" },
	{ "podman", 125, RETRY, "HTTP error of the registry",
	    "Error: trying to reuse blob sha256:3f9f at destination: failed to "
	    "read from destination repository s503: 503 (Service" },
	{ "podman", 125, RETRY, "could not connect to the registry",
	    "Error: initializing source docker://host/x: pinging container "
	    "registry host: Get \"http://host/v2/\": dial tcp 10.0.0.1:80: "
	    "connect: connection refused" },
	{ "podman", 125, RETRY, "could not resolve host",
	    "Error: initializing source docker://nosuch/x:latest: pinging "
	    "container registry nosuch: Get \"http://nosuch/v2/\": dial tcp: "
	    "lookup nosuch on 10.0.0.1:53: no such host" },
	{ "docker", 125, STOP, "bad usage", "unknown flag: --bad" },
	{ "podman", 125, STOP, "bad usage",
	    "Error: unrecognized command `podman nosuch`" },
	{ "docker", 1, STOP, "bad usage",
	    "docker: 'docker run' requires at least 1 argument" },
	{ "docker", 125, STOP, "bad image name",
	    "docker: invalid reference format" },
	{ "docker", 125, STOP, "no such object, or name in use",
	    "docker: Error response from daemon: Conflict. The container "
	    "name" },
	{ "docker", 1, STOP, "no such object, or name in use",
	    "Error response from daemon: No such container: x" },
	{ "docker", 1, STOP, "not permitted to use the daemon",
	    "permission denied while trying to connect to the Docker daemon" },
	{ "docker", 1, STOP, "no space left",
	    "ERROR: failed to solve: write /x: no space left on device" },
	{ "docker", 1, RETRY, "failed", "app: error: the queue is empty" },
	{ "docker", 125, RETRY, "container was not started",
	    "docker: Error response from daemon: unavail" },

	{ "kubectl", 1, RETRY, "could not connect to the server",
	    "The connection to the server 127.0.0.1:1 was refused - did you" },
	{ "kubectl", 1, RETRY, "could not resolve host",
	    "Unable to connect to the server: dial tcp: lookup nosuch on "
	    "10.0.0.1:53: no such host" },
	{ "kubectl", 1, RETRY, "timed out",
	    "error: timed out waiting for the condition on pods/x" },
	{ "kubectl", 1, RETRY, "error of the server",
	    "Error from server (ServiceUnavailable): the server is currently" },
	{ "kubectl", 1, RETRY, "error of the server",
	    "Error from server: etcdserver: leader changed" },
	{ "kubectl", 1, RETRY, "object was modified meanwhile",
	    "Error from server (Conflict): the server reported a conflict" },
	{ "kubectl", 1, THROTTLE, "too many requests",
	    "Error from server (TooManyRequests): the server has received" },
	{ "kubectl", 1, STOP, "not found",
	    "Error from server (NotFound): pods \"x\" not found" },
	{ "kubectl", 1, STOP, "access denied",
	    "error: You must be logged in to the server (the server has" },
	{ "kubectl", 1, STOP, "access denied",
	    "Error from server (Forbidden): status 403" },
	{ "kubectl", 1, STOP, "request refused",
	    "The Pod \"x\" is invalid: spec.containers: Required value" },
	{ "kubectl", 1, STOP, "server certificate not verified",
	    "Unable to connect to the server: tls: failed to verify "
	    "certificate: x509: certificate" },
	{ "kubectl", 1, STOP, "bad configuration, or no such file",
	    "error: the path \"/nosuch\" does not exist" },
	{ "kubectl", 1, STOP, "bad configuration, or no such file",
	    "Error in configuration: context was not found for specified" },
	{ "kubectl", 1, STOP, "bad usage", "Error: unknown flag: --bad" },
	{ "kubectl", 1, STOP, "bad usage",
	    "error: must specify one of -f and -k" },
	{ "kubectl", 1, STOP, "bad usage",
	    "error: no objects passed to apply" },
	{ "kubectl", 1, STOP, "bad usage",
	    "error: Required resource not specified." },
	{ "kubectl", 1, STOP, "bad usage",
	    "E1123 07:21:43.381465   20820 run.go:72] \"command failed\" "
	    "err=\"required flag(s) \\\"replicas\\\" not set\"" },
	{ "kubectl", 1, STOP, "manifest cannot be read",
	    "error: unable to decode \"nokind.yaml\": Object 'Kind' is" },
	{ "kubectl", 1, STOP, "manifest cannot be read",
	    "error: error parsing bad.yaml: error converting YAML to JSON" },
	{ "kubectl", 1, STOP, "manifest cannot be read",
	    "error: error validating \"nokind.yaml\": error validating data: "
	    "[apiVersion not set" },
	{ "kubectl", 1, RETRY, "could not connect to the server",
	    "error: error validating \"ok.yaml\": error validating data: "
	    "failed to download openapi: Get \"http://host/openapi/v2\": dial "
	    "tcp 10.0.0.1:80: connect: connection refused" },
	{ "kubectl", 1, RETRY, "failed",
	    "command terminated with exit code 1" },

	{ "aws", 255, RETRY, "could not connect to host",
	    "Could not connect to the endpoint URL: \"http://127.0.0.1:1/\"" },
	{ "aws", 254, THROTTLE, "service limits the rate",
	    "aws: [ERROR]: An error occurred (ThrottlingException) when" },
	{ "aws", 1, THROTTLE, "service limits the rate",
	    "upload failed: ./x to s3://b/x An error occurred (SlowDown)" },
	{ "aws", 254, STOP, "access denied",
	    "An error occurred (AccessDenied) when calling the ListBuckets" },
	{ "aws", 255, STOP, "access denied",
	    "An error occurred (ExpiredToken) when calling the ListBuckets" },
	{ "aws", 1, STOP, "not found",
	    "fatal error: An error occurred (404) when calling the" },
	{ "aws", 254, STOP, "not found",
	    "An error occurred (InvalidInstanceID.NotFound) when calling the" },
	{ "aws", 254, STOP, "request refused",
	    "An error occurred (ValidationError) when calling the" },
	{ "aws", 255, RETRY, "connection lost",
	    "Read timeout on endpoint URL: \"http://127.0.0.1/\"" },
	{ "aws", 255, STOP, "bad configuration or no credentials",
	    "Unable to locate credentials. You can configure credentials by" },
	{ "aws", 255, STOP, "bad configuration or no credentials",
	    "\nThe config profile (nosuch) could not be found" },
	{ "aws", 255, STOP, "no such file",
	    "\nThe user-provided path /nosuch does not exist." },
	{ "aws", 254, RETRY, "error of the service",
	    "An error occurred (InternalError) when calling the ListBuckets" },

	{ "gcloud", 1, RETRY, "could not connect to host",
	    "ERROR: gcloud crashed (ConnectionError)" },
	{ "gcloud", 1, STOP, "login needed",
	    "ERROR: (gcloud.pubsub.topics.list) You do not currently have an "
	    "active account" },
	{ "gcloud", 1, STOP, "access denied",
	    "ERROR: (gcloud.projects.describe) PERMISSION_DENIED: The caller" },
	{ "gcloud", 1, STOP, "not found",
	    "ERROR: (gcloud.run.services.describe) NOT_FOUND: Resource x" },
	{ "gcloud", 1, STOP, "request refused",
	    "ERROR: (gcloud.run.deploy) INVALID_ARGUMENT: x" },
	{ "gcloud", 1, STOP, "quota of the project is used up",
	    " - Quota 'GPUS_ALL_REGIONS' exceeded. Limit: 0.0 globally." },
	{ "gcloud", 1, THROTTLE, "service limits the rate",
	    "ERROR: (gcloud.run.services.list) RESOURCE_EXHAUSTED: Quota" },
	{ "gcloud", 1, RETRY, "error of the service",
	    "ERROR: (gcloud.run.deploy) UNAVAILABLE: The service is" },
	{ "gcloud", 1, RETRY, "failed",
	    "ERROR: (gcloud.compute.zones.list) Some requests did not "
	    "succeed:" },

	{ "rclone", 5, RETRY, "could not connect to host",
	    "2026/11/21 15:58:22 Failed to lsf with 2 errors: last error was: "
	    "error in ListJSON: error listing \"\": failed to readDir: Get "
	    "\"http://127.0.0.1:1/\": dial tcp 10.0.0.1:80: connect: "
	    "connection refused" },
	{ "rclone", 1, RETRY, "could not resolve host",
	    "dial tcp: lookup nosuch on 10.0.0.1:53: no such host" },
	{ "rclone", 1, RETRY, "HTTP error of the server",
	    "2026/11/21 15:58:22 ERROR : : error listing: couldn't list files: "
	    "status 503" },
	{ "rclone", 2, THROTTLE, "service limits the rate",
	    "error listing \"\": failed to readDir: HTTP Error: 429 Too Many "
	    "Requests" },
	{ "rclone", 1, STOP, "access denied",
	    "error listing \"\": failed to readDir: HTTP Error: 403" },
	{ "rclone", 1, STOP, "bad usage", "Error: unknown flag: --bad" },
	{ "rclone", 1, STOP, "bad usage",
	    "Command copy needs 2 arguments minimum: you provided 0 non flag" },
	{ "rclone", 1, STOP, "access denied",
	    "2026/11/23 07:21:57 Failed to create file system for \"s:\": "
	    "NewFs: couldn't connect SSH: ssh: handshake failed: ssh: unable "
	    "to authenticate" },
	{ "rclone", 1, STOP, "access denied",
	    "\tstatus code: 403, request id: , host id: " },
	{ "rclone", 1, STOP, "access denied",
	    "2026/11/23 07:22:57 Failed to copy: read metadata failed: 403" },
	{ "rclone", 1, STOP, "access denied",
	    "2026/11/23 07:22:57 Failed to ls with 2 errors: last error was: "
	    "couldn't list files: 403" },
	{ "rclone", 1, STOP, "not found",
	    "2026/11/23 07:21:53 Failed to copyurl: CopyURL failed: 404 Not" },
	{ "rclone", 1, STOP, "no space left",
	    "2026/11/23 07:22:00 Failed to copy: preallocate: file too big for "
	    "remaining disk space" },
	{ "rclone", 1, STOP, "no space left",
	    "2026/11/23 07:23:01 ERROR : big: Failed to copy: write /x/big: no "
	    "space left on device" },
	{ "rclone", 1, RETRY, "HTTP error of the server",
	    "2026/11/23 07:21:53 Failed to copyurl: CopyURL failed: 503" },
	{ "rclone", 1, STOP, "no such remote",
	    "2026/11/21 15:58:22 Failed to create file system for "
	    "\"nosuch:x\": didn't find section" },

	{ "restic", 1, RETRY, "HTTP error of the server",
	    "Fatal: unable to open config file: unexpected HTTP response "
	    "(503)" },
	{ "restic", 1, THROTTLE, "service limits the rate",
	    "Fatal: unable to open config file: unexpected HTTP response "
	    "(429)" },
	{ "restic", 1, STOP, "access denied",
	    "Fatal: unable to open config file: unexpected HTTP response "
	    "(403)" },
	{ "restic", 1, STOP, "repository does not exist",
	    "Fatal: unable to open config file: stat /nosuch/config: no such "
	    "file" },
	{ "restic", 1, STOP, "repository does not exist",
	    "Fatal: unable to open config file: <config/> does not exist" },
	{ "restic", 1, STOP, "wrong password",
	    "Fatal: wrong password or no key found" },
	{ "restic", 1, STOP, "nothing to back up",
	    "Fatal: all target directories/files do not exist" },
	{ "restic", 1, STOP, "bad usage", "unknown flag: --bad" },
	{ "restic", 1, STOP, "bad usage",
	    "Fatal: Please specify repository location (-r or" },
	{ "restic", 1, STOP, "no space left",
	    "Fatal: unable to save snapshot: write /srv/r/tmp: no space left "
	    "on device" },
	{ "restic", 1, RETRY, "repository is locked",
	    "unable to create lock in backend: repository is already locked" },
	{ "restic", 1, RETRY, "could not connect to host",
	    "subprocess ssh: ssh: connect to host 127.0.0.1 port 22: "
	    "Connection refused" },
	{ "restic", 1, RETRY, "could not resolve host",
	    "dial tcp: lookup nosuch: no such host" },

	{ "borg", 1, PASS, "done, with warnings",
	    "/nosuch: [Errno 2] No such file or directory: 'nonexist'" },
	{ "borg", 1, STOP, "borg was not run", "sudo: a password is required" },
	{ "borg", 2, RETRY, "repository is locked",
	    "Failed to create/acquire the lock /srv/br/lock.exclusive" },
	{ "borg", 2, RETRY, "could not connect to host",
	    "Remote: ssh: connect to host 127.0.0.1 port 1: Connection" },
	{ "borg", 2, RETRY, "could not resolve host",
	    "Remote: ssh: Could not resolve hostname nosuch: Name or service "
	    "not known\nConnection closed by remote" },
	{ "borg", 2, STOP, "access denied",
	    "Remote: root@127.0.0.1: Permission denied "
	    "(publickey).\nConnection closed by remote" },
	{ "borg", 2, STOP, "repository does not exist",
	    "Repository /nosuch does not exist." },
	{ "borg", 2, STOP, "wrong passphrase",
	    "passphrase supplied in BORG_PASSPHRASE, by BORG_PASSCOMMAND or "
	    "via BORG_PASSPHRASE_FD is incorrect." },
	{ "borg", 2, STOP, "archive exists already, or does not",
	    "Archive a already exists" },
	{ "borg", 2, STOP, "bad usage",
	    "borg: error: unrecognized arguments: --bad" },
	{ "borg", 2, STOP, "no space left",
	    "Insufficient free space to complete transaction (required: 1 GB" },
	{ "borg", 2, STOP, "bad usage",
	    "At least one of the \"keep-within\", \"keep-last\"" },
	{ "borg", 2, STOP, "no borg on the remote side",
	    "Remote: bash: line 1: /nosuch/borg: No such file or directory" },
	/* timeout(1), env(1) and shells use these themselves. */
	{ "borg", 124, RETRY, NULL, "" },

	{ "rsync", 12, STOP, "login denied",
	    "me@host: Permission denied (publickey)." },
	{ "rsync", 12, RETRY, "could not connect to host",
	    "ssh: connect to host 127.0.0.1 port 1: Connection refused" },
	{ "psql", 3, RETRY, "in conflict with another transaction",
	    "psql:script.sql:3: ERROR:  deadlock detected" },
	{ "psql", 1, RETRY, "in conflict with another transaction",
	    "ERROR:  could not serialize access due to concurrent update" },
	{ "psql", 3, RETRY, "connection lost",
	    "psql:script.sql:3: server closed the connection unexpectedly" },
	{ "psql", 3, STOP, "error in the script",
	    "psql:script.sql:3: ERROR:  relation \"deadlocks\" does not "
	    "exist" },
	{ "gcloud", 1, RETRY, "in conflict with another operation",
	    "ERROR: (gcloud.sql.instances.patch) HTTPError 409: Operation" },
	{ "docker", 1, STOP, "access denied by the registry",
	    "Error response from daemon: failed to fetch oauth token: "
	    "unexpected status: 401 Unauthorized" },
	{ "git", 1, STOP, "push declined by the remote",
	    " ! [remote rejected] main -> main (push declined due to" },
	{ "wget", 8, STOP, "not found",
	    "Remote file does not exist -- broken link!!!" },
	{ "curl", 56, STOP, "proxy: not authorized",
	    "curl: (56) CONNECT tunnel failed, response 407" },
	{ "curl", 56, RETRY, "could not receive data",
	    "curl: (56) CONNECT tunnel failed, response 502" },
	{ "psql", 2, RETRY, "could not connect to the server",
	    "psql: error: connection to server at \"127.0.0.1\", port 1 "
	    "failed: Connection refused" },
	{ "psql", 2, RETRY, "could not resolve host",
	    "psql: error: could not translate host name \"nosuch\" to" },
	{ "psql", 2, RETRY, "server is not up yet",
	    "psql: error: connection to server at \"host\", port 5432 failed: "
	    "FATAL:  the database system is not" },
	{ "psql", 2, THROTTLE, "too many connections",
	    "psql: error: connection to server at \"host\", port 5432 failed: "
	    "FATAL:  sorry, too many clients" },
	{ "psql", 2, STOP, "login denied",
	    "psql: error: connection to server at \"host\", port 5432 failed: "
	    "FATAL:  password authentication failed" },
	{ "psql", 2, STOP, "login denied",
	    "psql: error: connection to server at \"host\", port 5432 failed: "
	    "fe_sendauth: no password supplied" },
	{ "psql", 2, STOP, "no such database",
	    "psql: error: connection to server at \"host\", port 5432 failed: "
	    "FATAL:  database \"nosuch\" does not exist" },

	{ "pg_dump", 1, RETRY, "could not connect to the server",
	    "pg_dump: error: connection to server at \"127.0.0.1\", port 1 "
	    "failed: Connection refused" },
	{ "pg_dumpall", 1, RETRY, "could not resolve host",
	    "pg_dumpall: error: could not translate host name \"nosuch\" to" },
	{ "pg_dump", 1, RETRY, "server is not up yet",
	    "pg_dump: error: connection to server at \"host\", port 5432 "
	    "failed: FATAL:  the database system is starting" },
	{ "pg_dump", 1, RETRY, "connection lost",
	    "pg_dump: detail: Error message from server: server closed the "
	    "connection" },
	{ "pg_dump", 1, THROTTLE, "too many connections",
	    "pg_dump: error: connection to server at \"host\", port 5432 "
	    "failed: FATAL:  sorry, too many clients" },
	{ "pg_dump", 1, STOP, "access denied",
	    "pg_dump: error: connection to server at \"host\", port 5432 "
	    "failed: FATAL:  password authentication failed" },
	{ "pg_dump", 1, STOP, "no such database",
	    "pg_dump: error: connection to server at \"host\", port 5432 "
	    "failed: FATAL:  database \"nosuch\" does not exist" },
	{ "pg_dump", 1, STOP, "bad usage",
	    "pg_dump: unrecognized option '--bad'" },
	{ "pg_dump", 1, STOP, "no such table or schema",
	    "pg_dump: error: no matching tables were found" },
	{ "pg_dumpall", 1, STOP, "file cannot be read or written",
	    "pg_dumpall: error: could not open output file \"/nosuch/x\": No "
	    "such file or directory" },
	{ "pg_restore", 1, STOP, "not an archive",
	    "pg_restore: error: input file does not appear to be a valid "
	    "archive" },
	{ "pg_dump", 1, STOP, "server version mismatch",
	    "pg_dump: error: aborting because of server version mismatch" },

	{ "mysqldump", 2, RETRY, "could not connect to the server",
	    "mysqldump: Got error: 2002" },
	{ "mysqladmin", 1, RETRY, "could not connect to the server",
	    "error: 'Can't connect to server on '127.0.0.1' (115)'" },
	{ "mysql", 1, RETRY, "could not resolve host",
	    "ERROR 2005 (HY000): Unknown server host 'nosuch' (-2)" },
	{ "mariadb", 1, RETRY, "connection lost",
	    "ERROR 2013 (HY000) at line 1: Lost connection to server during" },
	{ "mysql", 1, RETRY, "lock wait or deadlock",
	    "ERROR 1205 (HY000) at line 1: Lock wait timeout exceeded; try" },
	{ "mysql", 1, THROTTLE, "too many connections",
	    "ERROR 2002 (HY000): Received error packet before completion of "
	    "TLS handshake. The authenticity of the following error cannot be "
	    "verified: 1040 - Too many connections" },
	{ "mysqladmin", 1, STOP, "access denied",
	    "error: 'Access denied for user 'u'@'localhost' (using password" },
	{ "mariadb-dump", 2, STOP, "no such database or table",
	    "mariadb-dump: Got error: 1049: \"Unknown database 'nosuch'\"" },
	{ "mysql", 1, STOP, "error in the statement",
	    "ERROR 1064 (42000) at line 1: You have an error in your SQL" },
	{ "mysqldump", 2, STOP, "bad usage",
	    "mysqldump: unknown option '--bad'" },

	{ "ping", 1, STOP, "bad usage",
	    "ping: invalid argument: '0': out of range: 1 <= value <=" },
	{ "ping", 2, STOP, "bad usage", "ping: invalid option -- '-'" },
	{ "ping", 2, STOP, "not permitted",
	    "ping: socktype: SOCK_RAW\nping: socket: Operation not permitted" },
	{ "ping", 2, RETRY, "could not resolve host",
	    "ping: nosuch: Name or service not known" },
	{ "ping", 2, RETRY, "network unreachable",
	    "ping: connect: Network is unreachable" },

	{ "ansible-playbook", 4, STOP, "playbook cannot be read",
	    "ERROR! We were unable to read either as JSON nor YAML, these" },
	{ "ansible-playbook", 2, STOP, "bad options",
	    "usage: ansible-playbook [-h] [--version] [-v]" },
};

/* The same for stdout. */
static const struct sample stdout_samples[] = {
	{ "git", 1, STOP, "conflict to be resolved",
	    "CONFLICT (content): Merge conflict in f" },
	{ "git", 128, STOP, "conflict to be resolved",
	    "CONFLICT (modify/delete): f deleted in (empty tree) and" },
	{ "git", 1, STOP, "nothing to commit",
	    "On branch main\nnothing to commit, working tree clean" },
	{ "git", 1, STOP, "nothing to commit",
	    "nothing added to commit but untracked files present (use" },
	{ "git", 1, STOP, "nothing to commit",
	    "no changes added to commit (use \"git add\" and/or" },
	{ "npm", 1, STOP, "bad usage", "Unknown command: \"nosuchcmd\"" },
};

/* Harmless messages, and messages similar to those in the tables. */
static const struct ordinary ordinary[] = {
	{ "curl", 22, "< HTTP/1.1 404 Not Found" },
	{ "curl", 6, "curl: (22) The requested URL returned error: 404" },
	{ "wget", 8, "Connecting to 127.0.0.1:404... connected." },
	{ "rsync", 12,
	    "rsync: opendir \"/root\" failed: Permission denied (13)" },
	{ "rsync", 255,
	    "rsync: opendir \"/root\" failed: Permission denied (13)" },
	{ "ssh", 1, "ls: cannot open directory '.': Permission denied" },
	{ "rsync", 12, "/root/.bashrc: line 3: nosuch: command not found" },
	{ "scp", 255, "scp: Connection closed" },
	{ "ssh", 255,
	    "Warning: Identity file /nosuch not accessible: No such file or "
	    "directory." },
	{ "git", 128,
	    ".git/hooks/pre-push: line 3: nosuch: command not found" },
	{ "npm", 1, "npm error errno CERT_HAS_EXPIRED" },
	{ "npm", 1,
	    "npm error reason: self-signed certificate in certificate chain" },
	{ "curl", 22, "curl: (60) SSL certificate problem" },
	{ "skopeo", 1,
	    "time=\"2026-11-23T07:26:12Z\" level=warning msg=\"Failed, "
	    "retrying in 2s ... (1/3). Error: initializing source "
	    "docker://host/x: unauthorized: authentication required\"" },
	{ "skopeo", 1,
	    FATAL "reading blob sha256:3f9f: fetching blob: invalid status "
	          "code from registry 403 (Forbidden)\"" },
	{ "podman", 125,
	    "time=\"2026-11-23T07:25:51Z\" level=warning msg=\"Failed, "
	    "retrying in 1s ... (1/3). Error: initializing source "
	    "docker://host/x: connect: connection refused\"" },
	{ "podman", 1, "Error: app: unauthorized: no such user" },
	{ "kubectl", 1,
	    "error: the server doesn't have a resource type \"nosuch\"" },
	{ "rclone", 1,
	    "2026/11/23 07:22:54 ERROR : a: Failed to copy: failed to open "
	    "source object: 404 Not Found" },
	{ "borg", 2,
	    "Remote: /root/.bashrc: line 3: nosuch: command not found" },
	{ "git", 128, "and the repository exists." },
	{ "git", 128, "Cloning into 'timeout-503'..." },
	{ "git", 129, "fatal: repository 'x' not found" },
	{ "apt-get", 100, "N: Unable to locate package, they say" },
	{ "pip", 1,
	    "ERROR: Could not find a version that satisfies the requirement x "
	    "(from versions: none)" },
	{ "npm", 1, "npm warn deprecated x@1.0.0: code E404 is used" },
	{ "npm", 7, "npm error code E404" },
	{ "docker", 1, "HTTP 404: manifest unknown" },
	{ "docker", 1, "app: access denied" },
	{ "kubectl", 1, "app: user x does not exist" },
	{ "aws", 1,
	    "warning: Skipping file /dev/x. File is character special device" },
	{ "restic", 1, "Is there a repository at the following location?" },
	{ "borg", 1, "/x: file changed while we backed it up" },
	{ "psql", 2, "NOTICE:  table \"x\" does not exist, skipping" },
	{ "psql", 1, "FATAL:  database \"x\" does not exist" },
};

/* On stdout, these say nothing. */
static const struct ordinary stdout_ordinary[] = {
	{ "git", 128, "diff of CONFLICT (content)" },
	{ "git", 128, "fatal: not a git repository" },
	{ "npm", 1, "npm error code E404" },
};

static struct compiled *
compiled_of(const char *name)
{
	const struct tool *tool = tool_named(name);

	for (size_t i = 0; i < TOOLS && tool != NULL; i++)
		if (compiled[i].tool == tool)
			return &compiled[i];
	printf("Bail out! no tool %s\n", name);
	exit(1);
}

/* Whether one of the lines of TEXT matches. */
static bool
matches(const regex_t *regex, const char *text)
{
	char copy[1024];
	bool found = false;

	snprintf(copy, sizeof copy, "%s", text);
	for (char *line = copy; line != NULL && !found;) {
		char *end = strchr(line, '\n');

		if (end != NULL)
			*end = '\0';
		found = regexec(regex, line, 0, NULL, 0) == 0;
		line = end == NULL ? NULL : end + 1;
	}
	return found;
}

/* The message that decides, or NULL; *MATCHED is how many match. */
static const struct tool_row *
decide(struct compiled *known, const struct sample *sample, bool on_stdout,
    int *matched)
{
	static const enum verdict order[] = { VERDICT_STOP, VERDICT_SUCCESS,
		VERDICT_THROTTLE, VERDICT_RETRY };
	const struct tool_row *first = NULL;

	*matched = 0;
	for (size_t o = 0; o < ARRAY_LENGTH(order); o++)
		for (size_t i = 0; i < known->count; i++) {
			const struct tool_row *message = &known->messages[i];

			if (message->verdict != order[o]
			    || sample->status < message->low
			    || sample->status > message->high
			    || (on_stdout && !message->on_stdout)
			    || !matches(&known->regexes[i], sample->text))
				continue;
			++*matched;
			if (first == NULL) {
				first = message;
				known->decided[i] = true;
			}
		}
	return first;
}

static void
test_sample(const struct sample *sample, const char *tool, bool on_stdout)
{
	struct compiled *known = compiled_of(tool);
	enum verdict verdict = VERDICT_RETRY;
	const char *meaning = "";
	const struct tool_row *message;
	struct tool_row code;
	char what[1200];
	int matched;

	message = decide(known, sample, on_stdout, &matched);
	if (message != NULL) {
		verdict = message->verdict;
		meaning = message->meaning;
	} else if (tool_code(known->tool, sample->status, &code)) {
		verdict = code.verdict;
		meaning = code.meaning;
	}
	snprintf(what, sizeof what, "%s %d: %.60s", tool, sample->status,
	    sample->text + strspn(sample->text, "\n"));
	what[strcspn(what, "\n")] = '\0';
	is_string(verdict_name(verdict), verdict_name(sample->verdict), what);
	is_string(
	    meaning, sample->meaning == NULL ? "" : sample->meaning, "  means");
}

static void
test_samples(const struct sample *list, size_t count, bool on_stdout)
{
	for (size_t i = 0; i < count; i++) {
		char tools[32];

		snprintf(tools, sizeof tools, "%s", list[i].tool);
		for (char *at = strtok(tools, " "); at != NULL;
		     at = strtok(NULL, " "))
			test_sample(&list[i], at, on_stdout);
	}
}

static void
test_ordinary(const struct ordinary *row, bool on_stdout)
{
	const struct sample sample
	    = { .status = row->status, .text = row->text };
	char what[1200];
	int matched;

	decide(compiled_of(row->tool), &sample, on_stdout, &matched);
	snprintf(
	    what, sizeof what, "%s says nothing: %s", row->tool, row->text);
	is_int(matched, 0, what);
}

/* Lower-case phrases that fit into a line of the log. */
static bool
reads_well(const char *meaning)
{
	return strlen(meaning) > 2 && strlen(meaning) <= 48
	    && strpbrk(meaning, "()\n\t\\\"") == NULL
	    && meaning[strlen(meaning) - 1] != '.';
}

static void
compile_messages(struct compiled *known)
{
	const char *name = tool_name(known->tool);
	bool valid = true;

	while (tool_message_at(
	    known->tool, known->count, &known->messages[known->count])) {
		struct tool_row *message = &known->messages[known->count];
		struct tool_row code;

		if (!ok(regcomp(&known->regexes[known->count], message->regex,
		            REG_EXTENDED | REG_NOSUB)
		            == 0,
		        message->regex))
			exit(1);
		valid = valid && message->low >= 0
		    && message->low <= message->high && message->high <= 255
		    && message->verdict > VERDICT_NONE
		    && message->verdict < VERDICTS
		    && reads_well(message->meaning)
		    && (message->high == 0
		        || (tool_code(known->tool, message->low, &code)
		            && tool_code(known->tool, message->high, &code)));
		known->count++;
	}
	ok(valid, name);
	ok(known->count == 0
	        || strstr(tool_source(known->tool), "messages: ") != NULL,
	    "  says where its messages are from");
}

static void
test_codes(const struct tool *tool)
{
	bool valid = true, overlapping = false;
	uint8_t taken[256] = { 0 };
	struct tool_row code, again;
	size_t count = 0;

	for (; tool_code_at(tool, count, &code); count++) {
		valid = valid && code.low >= 1 && code.low <= code.high
		    && code.high <= 255 && code.verdict > VERDICT_NONE
		    && code.verdict < VERDICTS && reads_well(code.meaning)
		    && tool_code(tool, code.high, &again)
		    && again.meaning == code.meaning;
		for (int status = code.low; status <= code.high; status++)
			overlapping = taken[status & 255]++ > 0 || overlapping;
	}
	ok(count > 0 && valid, tool_name(tool));
	ok(!overlapping, "  no code twice");
	ok(!tool_code(tool, 0, &code), "  0 is no code of a failure");
	ok(strlen(tool_source(tool)) > 8, "  has a source");
	ok(strlen(tool_warning(tool)) <= 80, "  its warning is a line");
}

static void
test_names(void)
{
	static const char unknown[][12]
	    = { "", " ", "cur", "curls", "CURL", "scp sftp", "sc", "true" };

	ok(tool_at(25) == NULL && tool_at(24) != NULL, "25 tools");
	ok(tool_named("mariadb-admin") == tool_named("mysql"), "an alias");
	for (size_t i = 0; i < ARRAY_LENGTH(unknown); i++)
		ok(tool_named(unknown[i]) == NULL, "no such tool");
	is_string(tool_aliases(tool_named("scp")), "sftp", "aliases");
	is_string(tool_aliases(tool_named("curl")), "", "no alias");
	is_string(tool_warning(tool_named("curl")),
	    "without -f an HTTP 503 is exit 0; with -s add -S, or 404 and 503 "
	    "look alike",
	    "the warning of curl");
}

/* HTTP statuses that may be temporary, and those that are permanent. */
static void
test_http(void)
{
	static const int passing[] = { 408, 425, 500, 502, 503, 504, 522, 524 };
	static const int lasting[] = { 400, 401, 402, 403, 404, 405, 406, 407,
		409, 410, 411, 413, 415, 417, 418, 420, 422, 423, 424, 426, 428,
		430, 431, 451, 499, 501, 505 };
	char text[64];

	for (size_t i = 0; i < ARRAY_LENGTH(passing) + ARRAY_LENGTH(lasting);
	     i++) {
		bool lasts = i >= ARRAY_LENGTH(passing);
		int status
		    = lasts ? lasting[i - ARRAY_LENGTH(passing)] : passing[i];
		const struct sample sample = { .status = 22, .text = text };
		int matched;

		snprintf(text, sizeof text,
		    "curl: (22) The requested URL returned error: %d", status);
		is_int(decide(compiled_of("curl"), &sample, false, &matched)
		           ->verdict,
		    lasts ? VERDICT_STOP : VERDICT_RETRY, text);
	}
}

TESTS
{
	bool all = true;

	test_names();
	for (size_t i = 0; tool_at(i) != NULL && i < TOOLS; i++) {
		compiled[i].tool = tool_at(i);
		test_codes(tool_at(i));
		compile_messages(&compiled[i]);
	}
	test_samples(samples, ARRAY_LENGTH(samples), false);
	test_samples(stdout_samples, ARRAY_LENGTH(stdout_samples), true);
	for (size_t i = 0; i < ARRAY_LENGTH(ordinary); i++)
		test_ordinary(&ordinary[i], false);
	for (size_t i = 0; i < ARRAY_LENGTH(stdout_ordinary); i++)
		test_ordinary(&stdout_ordinary[i], true);
	for (size_t i = 0; i < TOOLS; i++)
		for (size_t j = 0; j < compiled[i].count; j++)
			if (!compiled[i].decided[j]) {
				printf("# %s: %s\n",
				    tool_name(compiled[i].tool),
				    compiled[i].messages[j].regex);
				all = false;
			}
	ok(all, "each message decides a sample");
	ok(tool_stops(tool_named("curl"), 2), "a code is a stop");
	ok(!tool_stops(tool_named("curl"), 7), "  or is retried");
	ok(!tool_stops(tool_named("curl"), 200), "  or is not known");
	ok(!tool_stops(tool_named("psql"), 1), "  or a message decides");
	test_http();
}
