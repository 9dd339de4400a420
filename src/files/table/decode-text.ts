/** Encodings the user can choose if the detected one is wrong. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'macintosh',
  'shift_jis',
  'gb18030',
] as const;
export type Encoding = (typeof ENCODINGS)[number];

export interface DecodedText {
  text: string;
  encoding: Encoding;
}

const SAMPLE_BYTES = 4096;

function detectByteOrderMark([first, second, third]: Uint8Array): Encoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return undefined;
}

/** Detects UTF-16 without a byte order mark: in mostly Latin text every other byte is zero. */
function detectUtf16(bytes: Uint8Array): Encoding | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const minZeros = sample.length / 5;
  if (odd > minZeros && even === 0) return 'utf-16le';
  if (even > minZeros && odd === 0) return 'utf-16be';
  return undefined;
}

/**
 * Decodes a file in the chosen encoding. Without one, the encoding is detected: by the byte order mark, UTF-16 by its
 * zero bytes, then UTF-8, and otherwise Windows-1252, which accepts every byte.
 */
export function decodeText(bytes: Uint8Array, chosenEncoding?: Encoding): DecodedText {
  if (chosenEncoding !== undefined)
    return { text: new TextDecoder(chosenEncoding).decode(bytes), encoding: chosenEncoding };
  const encoding = detectByteOrderMark(bytes) ?? detectUtf16(bytes) ?? 'utf-8';
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' };
  }
}
