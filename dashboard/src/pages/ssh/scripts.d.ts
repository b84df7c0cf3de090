// The sums of the scripts that hosts and clients run, in hexadecimal digits. The build takes them from the files.

declare const hostScriptSha256: string;
declare const clientScriptSha256: string;
