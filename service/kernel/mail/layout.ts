/** The one layout of all mails: the text of a mail as HTML, with name, logo and color of the site. */

/** How a site looks in its mails. */
export interface MailBrand {
  /** Null for mails that belong to no site. */
  siteName: string | null;
  /** "#rrggbb", dark enough for white text; null for the color of the console. */
  color: string | null;
  logo: { content: Buffer; type: string; width: number; height: number } | null;
}

/** Part of a mail: a paragraph, or a link to the console that is shown as a button. */
export interface MailBlock {
  kind: 'text' | 'link';
  text: string;
}

const DEFAULT_COLOR = '#3a5bd9';
const LOGO_HEIGHT = 32;
const MAX_LOGO_WIDTH = 200;

/** Content id of the logo, which is attached to the mail because mail programs block pictures of other servers. */
export const LOGO_CONTENT_ID = 'site-logo';

/**
 * Splits the text of a mail into its blocks. Only links to the console itself become buttons: an address in a text that a
 * user entered, such as a reason, must not look like an offer of the service.
 * @param publicUrl address of the console, without a slash at the end
 */
export const splitMailText = (text: string, publicUrl: string): MailBlock[] =>
  text
    .trim()
    .split('\n\n')
    .map((paragraph) => ({
      kind: paragraph.startsWith(`${publicUrl}/`) && !/\s/.test(paragraph) ? 'link' : 'text',
      text: paragraph,
    }));

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** Width and height at which the logo is shown: 32 pixels high, narrower where it would be wider than 200 pixels. */
export function fitLogo({ width, height }: { width: number; height: number }): {
  width: number;
  height: number;
} {
  const scale = Math.min(LOGO_HEIGHT / height, MAX_LOGO_WIDTH / width);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * Renders a mail as HTML. All text is escaped. Styles are inline and the layout is a table, because mail programs remove
 * style sheets.
 */
export function renderMailHtml(
  mail: { subject: string; text: string },
  brand: MailBrand,
  publicUrl: string,
): string {
  const color = brand.color ?? DEFAULT_COLOR;
  const name = escapeHtml(brand.siteName ?? 'Steward');
  const blocks = splitMailText(mail.text, publicUrl).map(({ kind, text }) => {
    const escaped = escapeHtml(text);
    return kind === 'link'
      ? `<p style="margin:0 0 16px"><a href="${escaped}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:${color};color:#ffffff;font-weight:600;text-decoration:none">Open ${name}</a></p>
<p style="margin:0 0 16px;color:#5a6372;font-size:13px;word-break:break-all">Or copy this address: ${escaped}</p>`
      : `<p style="margin:0 0 16px">${escaped.replaceAll('\n', '<br>')}</p>`;
  });
  const logo = brand.logo
    ? `<img src="cid:${LOGO_CONTENT_ID}" alt="" width="${fitLogo(brand.logo).width}" height="${fitLogo(brand.logo).height}" style="display:inline-block;vertical-align:middle;margin-right:12px;border:0">`
    : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(mail.subject)}</title>
</head>
<body style="margin:0;padding:24px 12px;background:#f1f3f6;color:#14181f;font-family:Helvetica,Arial,sans-serif;font-size:15px;line-height:1.5">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;margin:0 auto;border-collapse:collapse;background:#ffffff">
<tr><td style="padding:20px 28px;border-top:4px solid ${color};border-bottom:1px solid #e3e6eb">${logo}<strong style="vertical-align:middle;font-size:17px">${name}</strong></td></tr>
<tr><td style="padding:24px 28px 8px">
${blocks.join('\n')}
</td></tr>
<tr><td style="padding:16px 28px;border-top:1px solid #e3e6eb;color:#5a6372;font-size:13px">Sent by Steward at ${escapeHtml(publicUrl)}. Replies to this address are not read.</td></tr>
</table>
</body>
</html>
`;
}
