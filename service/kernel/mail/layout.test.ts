import { expect, test } from 'vitest';
import { fitLogo, renderMailHtml, splitMailText } from './layout.ts';
import { composePasswordResetMail } from './messages.ts';

const publicUrl = 'https://steward.example';
const link = `${publicUrl}/link#secret`;
const plain = { siteName: 'Northlight', color: null, logo: null };

test('a link to the console is a button, an address in the text of somebody is not', () => {
  const text = `Hello Ada,\n\nhttps://evil.example/sign-in\n\n${publicUrl}.evil.example/x\n\n${link}\n`;
  expect(splitMailText(text, publicUrl).map(({ kind }) => kind)).toEqual(['text', 'text', 'text', 'link']);
  const html = renderMailHtml({ subject: 'Hello', text }, plain, publicUrl);
  expect(html.match(/href="[^"]*"/g)).toEqual([`href="${link}"`]);
});

test('text from data is escaped, in the subject, the site name and the paragraphs', () => {
  const siteName = '<img src=x onerror=alert(1)> & "Söhne"';
  const mail = composePasswordResetMail({ firstName: '<b>Ada</b>', siteName, link });
  const html = renderMailHtml(mail, { ...plain, siteName }, publicUrl);
  expect(html).toContain('Hello &lt;b&gt;Ada&lt;/b&gt;,');
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;Söhne&quot;</strong>');
  expect(html).not.toMatch(/<(img|b|script)\b/);
});

test('color and logo of the site are used; the logo is at most 32 high and 200 wide', () => {
  const logo = { content: Buffer.from('x'), type: 'image/png', width: 640, height: 160 };
  const html = renderMailHtml(
    { subject: 'S', text: `${link}\n` },
    { siteName: 'N', color: '#0a5c36', logo },
    publicUrl,
  );
  expect(html).toContain('background:#0a5c36');
  expect(html).toContain('<img src="cid:site-logo" alt="" width="128" height="32"');
  expect(fitLogo({ width: 1000, height: 10 })).toEqual({ width: 200, height: 2 });
});
