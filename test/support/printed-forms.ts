// The search for secrets in text: how bytes look when a program prints them.

/** Returns every form in which a careless program prints bytes, alone or within longer content. */
export function printedForms(bytes: Buffer): string[] {
  const hex = bytes.toString('hex');
  return [
    bytes.toString('latin1'),
    hex,
    hex.toUpperCase(),
    hex.replace(/..(?=.)/g, '$& '),
    hex.replace(/..(?=.)/g, '$&:'),
    bytes.join(','),
    bytes.join(', '),
    ...base64Forms(bytes).flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]),
  ];
}

/** Returns how base64 encodes the bytes at each offset in longer content, without characters that depend on neighbours. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(shift === 0 ? 0 : 4, -3);
  });
}
