const ASCII = /^[ -~]*$/;

/** The domain as the service compares it: an international one in its ASCII form. */
function asciiDomain(domain: string): string {
  if (ASCII.test(domain)) return domain;
  return URL.parse(`http://${domain}/`)?.hostname ?? domain;
}

/** The form in which two spellings of one e-mail address are equal, as the service decides it. */
export function emailKey(text: string): string {
  const email = text.trim().normalize('NFC').toLowerCase();
  const at = email.lastIndexOf('@');
  return `${email.slice(0, at + 1)}${asciiDomain(email.slice(at + 1))}`;
}
