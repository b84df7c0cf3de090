// SHA-256 of the scripts that hosts and clients run, in hexadecimal. The build computes them (vite.config.ts).

declare const hostScriptSha256: string;
declare const clientScriptSha256: string;
