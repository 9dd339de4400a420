/** Delivers reports: a mail with a link to each recipient. The link leads to a page that requires signing in. */
import { badRequest } from '../../kernel/api-error.ts';
import type { Recorder } from '../../kernel/audit/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import type { MailExample } from '../../kernel/mail/examples.ts';
import { queueMails } from '../../kernel/mail/mail.store.ts';
import { composeText, formatTimestamp, type MailText, toSingleLine } from '../../kernel/mail/messages.ts';
import { getSite } from '../sites/index.ts';
import { listRecipients } from './recipients.store.ts';

/** Hours after which an unsent mail is dropped. */
const MAIL_TTL_HOURS = 24;

interface ReportMail {
  firstName: string;
  siteName: string;
  templateName: string;
  /** Number of entries and their type: `12 Companies`. */
  content: string;
  /** Moment of the data in the time zone of the site. */
  dataDate: string;
  keptDays: number;
  link: string;
}

function composeReportMail({ templateName, content, dataDate, keptDays, link, ...to }: ReportMail): MailText {
  const name = toSingleLine(templateName);
  return {
    subject: `The report ${name} is ready`,
    text: composeText(to, [
      `The report ${name} is ready: ${toSingleLine(content)}, data of ${dataDate}. To read it, sign in at:`,
      link,
      `The file is kept for up to ${keptDays} days.`,
    ]),
  };
}

export const REPORT_MAIL_EXAMPLES: readonly MailExample[] = [
  {
    id: 'report-ready',
    name: 'Report delivered',
    compose: (values) =>
      composeReportMail({
        ...values,
        templateName: 'Company profile',
        content: '12 entries of Companies',
        dataDate: formatTimestamp(new Date(), values.timeZone),
        keptDays: 30,
        link: `${values.publicUrl}/reports/runs?run=71`,
      }),
  },
];

/** @throws ApiError 400 for users who cannot receive reports */
export async function requireRecipients(db: Db, siteId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const known = new Set((await listRecipients(db, siteId, { ids })).map(({ id }) => id));
  const errors = ids.flatMap((id, at) =>
    known.has(id)
      ? []
      : [{ path: `recipients.${at}`, message: 'is not a user who holds Run Reports and Read Data' }],
  );
  if (errors.length > 0) throw badRequest(errors);
}

/** A report that is ready. */
interface ReadyReport extends Pick<ReportMail, 'templateName' | 'content' | 'keptDays'> {
  siteId: number;
  jobId: number;
  at: Date;
  recipients: readonly number[];
  publicUrl: string;
}

/** Queues the mails about a report in the transaction that stores it, to those who may read it at this moment. */
export async function deliverReport(
  tx: Tx,
  record: Recorder,
  { siteId, jobId, at, recipients, publicUrl, ...report }: ReadyReport,
): Promise<void> {
  if (recipients.length === 0) return;
  const site = await getSite(tx, siteId);
  const found = await listRecipients(tx, siteId, { ids: recipients });
  const mails = found.map(({ email, firstName }) => ({
    to: email,
    ...composeReportMail({
      ...report,
      firstName,
      siteName: site.name,
      dataDate: formatTimestamp(at, site.timeZone),
      link: `${publicUrl}/reports/runs?run=${jobId}`,
    }),
  }));
  if (mails.length > 0) await queueMails(tx, { siteId, ttlHours: MAIL_TTL_HOURS }, mails);
  const delivered = found.map(({ id }) => id);
  record({
    action: 'report.deliver',
    subject: ['job', jobId],
    changes: {
      recipients: [null, delivered],
      // Who lost a right meanwhile.
      leftOut: [null, recipients.filter((id) => !delivered.includes(id))],
    },
  });
}

export const recipientHandlers: Handlers<'listReportRecipients'> = {
  async listReportRecipients({ db, caller, query }) {
    const found = await listRecipients(db, caller.siteId, { search: query.search });
    return ok(found.map(({ id, name, email }) => ({ id, name, email })));
  },
};
