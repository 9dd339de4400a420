import { getRouteApi } from '@tanstack/react-router';
import { MailX, FileUp } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useMemo, useId, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode, DragEvent } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useAllowed } from '../../../api/session.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { useStore } from '../../../ui/store.ts';
import {
  addText,
  beginWhereDone,
  draft,
  inviteRun,
  reviewAgain,
  checks,
  changeSettings,
  beginAnew,
  typeText,
} from '../model/draft.ts';
import type { InvitationRun } from '../model/job.ts';
import { Sending } from './Sending.tsx';
import { useDirectory } from '../../../directory/directory.ts';
import { fold } from '../../../lib/fold.ts';
import { useGroupOptions } from '../../groups/model/group-options.ts';
import { planInvitees } from '../model/choices.ts';
import type { Invitee, May } from '../model/choices.ts';
import { InviteeTable } from './InviteeTable.tsx';
import { startRun } from '../model/job.ts';
import { ordersOf, planTitle } from '../model/plan.ts';
import { LINK_DAYS, PERMANENT, REMINDER_DAYS, TEMPORARY } from '../../../../contract/rules/invitations.ts';
import { daysAfter } from '../../../lib/ends.ts';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { MultiSelectField } from '../../../ui/form/MultiSelectField.tsx';
import type { FieldOption } from '../../../ui/form/options.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { DaysField } from './DaysField.tsx';
import { endWords, inDays } from '../model/terms.ts';
import { decode } from '../../../files/decode.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { cx } from '../../../ui/cx.ts';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import './invite.css';

const route = getRouteApi('/_app/invitations/new');

/** Invites and adds many at once: first who, then what came of each. */
export function InvitePage() {
  const { email } = route.useSearch();
  const run = useStore(inviteRun);
  const { allowed, reason } = useAllowed('checkInvitees');
  useLayoutEffect(beginWhereDone, []);
  // Another page sends somebody here with an address; coming back to it must not repeat it.
  useEffect(() => {
    if (email === undefined) return;
    if (hasEnded(inviteRun.get())) reviewAgain();
    if (!draft.get().text.includes(email)) addText(email);
  }, [email]);
  // The button that was pressed is gone with its page: the heading says what stands there now.
  const isSent = run !== undefined;
  const wasSent = useRef(isSent);
  useEffect(() => {
    if (wasSent.current !== isSent) document.querySelector<HTMLElement>('#page-title')?.focus();
    wasSent.current = isSent;
  }, [isSent]);
  if (run) return <Sending run={run} />;
  if (allowed) return <Compose />;
  return (
    <Page title="Invite people" breadcrumbs={<Trail />}>
      <EmptyState icon={MailX} title="You cannot invite or add people here">
        {reason}.
      </EmptyState>
    </Page>
  );
}

const hasEnded = (run: InvitationRun | undefined): boolean =>
  run?.state === 'done' || run?.state === 'failed';

/** Who is meant, how they become members, and what would happen to each. */
function Compose() {
  const client = useQueryClient();
  const { entries, settings, chosen } = useStore(draft);
  const { known, failure, asking, waits } = useStore(checks.store);
  const invite = useAllowed('inviteExistingUser').reason;
  const add = useAllowed('addExistingUser').reason;
  const { groups } = useDirectory();
  const { options, gives } = useGroupOptions(groups, settings.groups);
  const book = useMemo(
    () =>
      new Map(
        options.map(({ value, label, disabledReason }) => [
          fold(label),
          { id: value, reason: disabledReason },
        ]),
      ),
    [options],
  );
  const invitees = planInvitees({
    entries,
    checks: known,
    unanswered: failure !== undefined,
    settings,
    chosen,
    may: { invite, add },
    book,
  });
  const send = (those: readonly Invitee[]) =>
    startRun({ title: planTitle(those), orders: ordersOf(those), client, onShow: inviteRun.set });

  return (
    <Page title="Invite people" breadcrumbs={<Trail />}>
      <div className="inv-make">
        <div className="inv-make-side">
          <AddressBox />
          <MembershipCard {...{ settings, options, gives }} reasons={{ invite, add }} />
        </div>
        <InviteeTable invitees={invitees} check={{ failure, asking, waits }} onSend={send} />
      </div>
    </Page>
  );
}

const TYPES = [
  { value: PERMANENT, label: 'Permanent' },
  { value: TEMPORARY, label: 'Temporary' },
];
const WAYS = [
  { value: 'add', label: 'Add them now' },
  { value: 'invite', label: 'Invite them' },
] as const;

interface MembershipCardProps {
  settings: ReturnType<typeof draft.get>['settings'];
  options: readonly FieldOption[];
  /** What the chosen groups give together. */
  gives: string | undefined;
  reasons: May;
}

/** What is so for everybody who is invited or added here. */
function MembershipCard({ settings, options, gives, reasons }: MembershipCardProps) {
  const { type, days, addable } = settings;
  const { control } = useForm({ defaultValues: { groups: [...settings.groups] } });
  const groups = useWatch({ control, name: 'groups' });
  // The draft outlives this form, which is only how groups are chosen.
  useEffect(() => changeSettings({ groups }), [groups]);

  return (
    <Card title="Membership">
      <CardBody>
        <div className="inv-terms">
          {reasons.invite === undefined && (
            <Side label="Type" hint={`The link in the e-mail works for ${inDays(LINK_DAYS)}.`}>
              <Choice
                label="Type"
                options={TYPES}
                value={type}
                onChange={(value) => changeSettings({ type: value })}
              />
            </Side>
          )}
          {type === TEMPORARY && (
            <DaysField
              label="Duration"
              days={days}
              onChange={(next) => changeSettings({ days: next })}
              hint={
                days !== undefined && (
                  <>
                    Accepted today, it ends <strong>{endWords(daysAfter(days))}</strong>. It ends by itself,
                    and they are told {inDays(REMINDER_DAYS)} before.
                  </>
                )
              }
            />
          )}
          <MultiSelectField
            control={control}
            name="groups"
            label="Groups"
            placeholder="Choose groups"
            options={options}
            hint={gives ?? 'Without a group they may sign in and do nothing yet.'}
          />
          <Side label="Who can be added without confirmation" hint={ruleFor(type, reasons)}>
            {reasons.add === undefined && reasons.invite === undefined && type === PERMANENT && (
              <Choice
                label="Who can be added without confirmation"
                options={WAYS}
                value={addable}
                onChange={(value) => changeSettings({ addable: value })}
              />
            )}
          </Side>
        </div>
      </CardBody>
    </Card>
  );
}

/** Who is eligible (spec 4.2 rule 2), or why nobody is now. */
function ruleFor(type: number, { invite, add }: May): string {
  if (add !== undefined) return `Nobody: adding people ${lower(add)}. Everybody is invited.`;
  if (type === TEMPORARY) return 'Nobody: a temporary membership always begins with an invitation.';
  const rule =
    'Only people whose e-mail domain is the dedicated domain of this site, as set in the global administration.';
  return invite === undefined ? rule : `${rule} Inviting ${lower(invite)}.`;
}

const lower = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

function Side({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    <div className="field inv-side">
      <span className="field-label">{label}</span>
      {children}
      {hint !== undefined && <p className="field-hint">{hint}</p>}
    </div>
  );
}

const MOST_BYTES = 5 * 1024 * 1024;
const PLACEHOLDER = 'ada@company.example, Ben <ben@partner.example>';

/** The one box for addresses: typed, pasted, or from a file that is chosen or dropped. */
function AddressBox() {
  const id = useId();
  const { text, entries } = useStore(draft);
  const [fault, setFault] = useState<string>();
  const [over, setOver] = useState(false);

  const open = async (file: File) => {
    const read = await textOf(file);
    setFault(read.fault);
    if (read.text !== undefined) addText(read.text);
  };
  const drag = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(event.type === 'dragover');
  };
  const drop = (event: DragEvent) => {
    drag(event);
    const [file] = event.dataTransfer.files;
    if (file) void open(file);
  };

  return (
    <Card
      title="People"
      actions={
        text !== '' && (
          <Button size="small" variant="quiet" onClick={beginAnew}>
            Clear
          </Button>
        )
      }
    >
      <CardBody>
        <div className="field">
          <label className="field-label" htmlFor={id}>
            E-mail addresses
          </label>
          {/* Dropping is one way more: the button does the same. */}
          {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
          <div
            className={cx('inv-box', over && 'inv-box-over')}
            onDragOver={drag}
            onDragLeave={drag}
            onDrop={drop}
          >
            <textarea
              id={id}
              className="input"
              rows={7}
              value={text}
              placeholder={PLACEHOLDER}
              spellCheck={false}
              autoComplete="off"
              aria-describedby={`${id}-note`}
              aria-invalid={fault !== undefined}
              onChange={({ target }) => {
                setFault(undefined);
                typeText(target.value);
              }}
            />
          </div>
          <FieldNote
            id={`${id}-note`}
            error={fault}
            hint={
              entries.length === 0
                ? 'Type or paste any text: the addresses in it are found. Below a heading, the columns Type, Days and Groups of a table count as well.'
                : `${counted(entries.length, 'address', 'addresses')} found.`
            }
          />
          <FileChoice onFile={(file) => void open(file)} />
        </div>
      </CardBody>
    </Card>
  );
}

function FileChoice({ onFile }: { onFile: (file: File) => void }) {
  return (
    <label className="inv-file btn btn-default btn-small">
      <input
        type="file"
        className="visually-hidden"
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
        onChange={({ target }) => {
          const file = target.files?.[0];
          // The same file can be chosen again after it was changed.
          target.value = '';
          if (file) onFile(file);
        }}
      />
      <FileUp />
      Add a CSV file
    </label>
  );
}

async function textOf(file: File): Promise<{ text?: string; fault?: string }> {
  if (file.size > MOST_BYTES)
    return { fault: `${file.name} is larger than 5 MB. Split it into several files.` };
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (bytes[0] === 0x50 && bytes[1] === 0x4b)
      return { fault: `${file.name} is a workbook. Save it as CSV and choose that file.` };
    return { text: decode(bytes).text };
  } catch {
    return { fault: `${file.name} could not be read.` };
  }
}
