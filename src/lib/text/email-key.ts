const ASCII = /^[ -~]*$/;

/** Converts an internationalized domain to ASCII, in which the service compares it. */
function toAsciiDomain(domain: string): string {
  if (ASCII.test(domain)) return domain;
  return URL.parse(`http://${domain}/`)?.hostname ?? domain;
}

/** Normalizes an e-mail address so that spellings the service considers equal are equal. */
export function toEmailKey(text: string): string {
  const email = text.trim().normalize('NFC').toLowerCase();
  const at = email.lastIndexOf('@');
  return `${email.slice(0, at + 1)}${toAsciiDomain(email.slice(at + 1))}`;
}
