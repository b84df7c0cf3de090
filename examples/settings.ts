// Where the server is, and the key to use: the same two variables for every example.

/** Reads the settings. Throws Error that says what to set. */
export function readSettings(): { url: string; apiKey: string } {
  const { URL: url = 'http://127.0.0.1:4000', API_KEY: apiKey } = process.env;
  if (!apiKey) throw new Error('Set API_KEY to the key that the first start of the server printed.');
  return { url, apiKey };
}
