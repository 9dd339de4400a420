import { notFound } from '../../kernel/api-error.ts';
import { change, getActor } from '../../kernel/audit/change.ts';
import { consumeRateLimit } from '../../kernel/auth/throttle.store.ts';
import { type Call, type Handlers, ok } from '../../kernel/http/handler.ts';
import type { MailExample } from '../../kernel/mail/examples.ts';
import { splitMailText } from '../../kernel/mail/layout.ts';
import { queueMail } from '../../kernel/mail/mail.store.ts';
import type { MailText } from '../../kernel/mail/messages.ts';
import { getSite } from './sites.store.ts';

const TEST_MAIL_LIMIT = { maxCount: 30, windowSeconds: 3_600 };
const MAIL_TTL_HOURS = 1;
/** Of the recipient in previews: a name with letters that mails must be able to print. */
const EXAMPLE_FIRST_NAME = 'Zoë';

export const mailPreviewHandlers: Handlers<'listMailPreviews' | 'sendTestMail'> = {
  async listMailPreviews(call) {
    const { publicUrl, mailExamples } = call.services;
    const site = await getSite(call.db, call.caller.siteId);
    return ok(
      mailExamples.map((example) => {
        const { subject, text } = compose(example, call, site);
        return { id: example.id, name: example.name, subject, text, blocks: splitMailText(text, publicUrl) };
      }),
    );
  },

  async sendTestMail(call) {
    const { caller, params, services } = call;
    const example = services.mailExamples.find(({ id }) => id === params.mailId);
    if (!example) throw notFound(`There is no mail "${params.mailId}"`);
    await consumeRateLimit(
      call.db,
      `test-mail:${caller.userId}`,
      TEST_MAIL_LIMIT,
      `At most ${TEST_MAIL_LIMIT.maxCount} test mails can be sent in an hour`,
    );
    await change(call.db, getActor(call), async (tx, record) => {
      const { siteId } = caller;
      const { subject, text } = compose(example, call, await getSite(tx, siteId));
      await queueMail(tx, {
        siteId,
        to: caller.email,
        ttlHours: MAIL_TTL_HOURS,
        subject: `Test: ${subject}`,
        text,
      });
      record({ action: 'site.test-mail', subject: ['site', siteId], changes: { mail: [null, example.id] } });
    });
    return { status: 202, body: undefined };
  },
};

const compose = (
  { compose: composeExample }: MailExample,
  { services }: Pick<Call, 'services'>,
  { name, timeZone }: { name: string; timeZone: string },
): MailText =>
  composeExample({
    firstName: EXAMPLE_FIRST_NAME,
    siteName: name,
    publicUrl: services.publicUrl,
    timeZone,
  });
