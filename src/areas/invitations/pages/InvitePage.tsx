import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { FileSpreadsheet, FileUp, MailX } from 'lucide-react';
import { useEffect, useMemo, useId, useState } from 'react';
import type { ReactNode } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import {
  INVITATION_TTL_DAYS,
  PERMANENT,
  EXPIRY_REMINDER_DAYS,
  TEMPORARY,
} from '../../../../contract/rules/people/invitations.ts';
import { formatCsv } from '../../../../contract/rules/tables/csv.ts';
import { startInvitationsMutation } from '../../../api/generated/queries/invitations.gen.ts';
import { getJobOptions } from '../../../api/generated/queries/jobs.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { useDirectory } from '../../../directory/directory.ts';
import { saveFile } from '../../../files/download.ts';
import { decodeText } from '../../../files/table/decode-text.ts';
import { addDays } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { DropTarget, FileChoice } from '../../../ui/form/FileDrop.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { MultiSelectField } from '../../../ui/form/select/MultiSelectField.tsx';
import type { FieldOption } from '../../../ui/form/select/OptionList.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { useStore } from '../../../ui/store.ts';
import { useGroupOptions } from '../../groups/index.ts';
import { getScheduleProblem, NOW, StartField, toStartOptions } from '../../jobs/index.ts';
import type { Schedule } from '../../jobs/index.ts';
import { planInvitees } from '../model/choices.ts';
import type { Invitee, MissingCapabilities } from '../model/choices.ts';
import {
  appendText,
  draft,
  addressChecker,
  updateSettings,
  clearDraft,
  archiveStartedDraft,
  restoreStartedDraft,
  setDraftText,
  startedDraft,
} from '../model/draft.ts';
import { buildInvitationsRequest } from '../model/requests.ts';
import { formatEnd, formatDays } from '../model/terms.ts';
import { DaysField } from './DaysField.tsx';
import { InviteeTable } from './InviteeTable.tsx';
import './invite.css';

const route = getRouteApi('/_app/invitations/new');

/** Page for inviting and adding people; a job of the service sends the invitations. */
export function InvitePage() {
  const { email } = route.useSearch();
  const { allowed, reason } = usePermission('checkInvitees');
  // Other pages link here with an address; it is appended once.
  useEffect(() => {
    if (email !== undefined && !draft.get().text.includes(email)) appendText(email);
  }, [email]);
  if (allowed) return <InviteForm />;
  return (
    <Page title="Invite people" breadcrumbs={<Breadcrumbs />}>
      <EmptyState icon={MailX} title="You cannot invite or add people here">
        {reason}.
      </EmptyState>
    </Page>
  );
}

/** Draft: addresses, membership, and the planned choices. */
function InviteForm() {
  const navigate = useNavigate();
  const start = useWrite('startInvitations', startInvitationsMutation());
  const { text, parsedText, entries, settings, choices } = useStore(draft);
  const { checkByKey, error, isChecking, waitSeconds } = useStore(addressChecker.store);
  const invite = usePermission('inviteExistingUser').reason;
  const add = usePermission('addExistingUser').reason;
  const { groups } = useDirectory();
  const { options, gives } = useGroupOptions(groups, settings.groups);
  const groupLookup = useMemo(
    () =>
      new Map(
        options.map(({ value, label, disabledReason }) => [
          foldText(label),
          { id: value, reason: disabledReason },
        ]),
      ),
    [options],
  );
  const invitees = planInvitees({
    entries,
    checks: checkByKey,
    couldNotCheck: error !== undefined,
    settings,
    choices,
    missingCapabilities: { invite, add },
    groupLookup,
  });
  // A refused request leaves the draft as it is.
  const [schedule, setSchedule] = useState<Schedule>(NOW);
  const send = async (selected: readonly Invitee[]) => {
    const body = { ...buildInvitationsRequest(selected), ...toStartOptions(schedule) };
    const started = await start.mutateAsync({ body }).catch(() => undefined);
    if (!started) return;
    archiveStartedDraft(started.id, text);
    await navigate({ to: '/jobs/$jobId', params: { jobId: started.id } });
  };

  return (
    <Page title="Invite people" breadcrumbs={<Breadcrumbs />}>
      <UninvitedBanner />
      <div className="inv-make">
        <div className="inv-make-side">
          <AddressBox />
          <MembershipCard {...{ settings, options, gives }} reasons={{ invite, add }} />
          <Card title="Sending">
            <CardBody>
              <StartField
                value={schedule}
                hint="The service checks every address again then. The job can be cancelled until it starts."
                onChange={setSchedule}
              />
            </CardBody>
          </Card>
        </div>
        <InviteeTable
          invitees={invitees}
          isTyping={text !== parsedText}
          check={{ failure: error, asking: isChecking, waits: waitSeconds }}
          onSend={(selected) => void send(selected)}
          sending={start.isPending}
          scheduleProblem={getScheduleProblem(schedule)}
          failure={start.error === null ? undefined : start.error}
        />
      </div>
    </Page>
  );
}

/** Offers to correct the addresses of the previous job that it could not invite. */
function UninvitedBanner() {
  const started = useStore(startedDraft);
  const jobId = started?.jobId ?? 0;
  const { data: job } = useQuery({ ...getJobOptions({ path: { jobId } }), enabled: started !== undefined });
  if (!started || !job || job.finishedDate === null) return null;
  const left = job.total - job.done;
  if (left === 0) return null;
  return (
    <Banner
      tone="warn"
      title={`${formatNumber(left)} of ${pluralize(job.total, 'address was', 'addresses were')} not invited`}
      actions={
        <>
          <Link to="/jobs/$jobId" params={{ jobId }} className={buttonClass({ size: 'small' })}>
            Show the job
          </Link>
          <Button size="small" onClick={restoreStartedDraft}>
            Edit the addresses
          </Button>
        </>
      }
    />
  );
}

const TYPE_OPTIONS = [
  { value: PERMANENT, label: 'Permanent' },
  { value: TEMPORARY, label: 'Temporary' },
];
const ADDABLE_OPTIONS = [
  { value: 'add', label: 'Add them now' },
  { value: 'invite', label: 'Invite them' },
] as const;

interface MembershipCardProps {
  settings: ReturnType<typeof draft.get>['settings'];
  options: readonly FieldOption[];
  /** Capabilities of the chosen groups. */
  gives: string | undefined;
  reasons: MissingCapabilities;
}

/** Membership settings for all addresses. */
function MembershipCard({ settings, options, gives, reasons }: MembershipCardProps) {
  const { type, days, addable } = settings;
  const { control } = useForm({ defaultValues: { groups: [...settings.groups] } });
  const groups = useWatch({ control, name: 'groups' });
  // The draft outlives this form, which only edits the groups.
  useEffect(() => updateSettings({ groups }), [groups]);

  return (
    <Card title="Membership">
      <CardBody>
        <div className="inv-terms">
          {reasons.invite === undefined && (
            <LabeledGroup
              label="Type"
              hint={`The link in the e-mail is valid for ${formatDays(INVITATION_TTL_DAYS)}.`}
            >
              <SegmentedControl
                label="Type"
                options={TYPE_OPTIONS}
                value={type}
                onChange={(value) => updateSettings({ type: value })}
              />
            </LabeledGroup>
          )}
          {type === TEMPORARY && (
            <DaysField
              label="Duration"
              days={days}
              onChange={(next) => updateSettings({ days: next })}
              hint={
                days !== undefined && (
                  <>
                    Accepted today, it ends <strong>{formatEnd(addDays(days))}</strong>. They are notified{' '}
                    {formatDays(EXPIRY_REMINDER_DAYS)} before.
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
            hint={gives ?? 'Without a group they can sign in but cannot do anything.'}
          />
          <LabeledGroup label="Who can be added without confirmation" hint={formatAddRule(type, reasons)}>
            {reasons.add === undefined && reasons.invite === undefined && type === PERMANENT && (
              <SegmentedControl
                label="Who can be added without confirmation"
                options={ADDABLE_OPTIONS}
                value={addable}
                onChange={(value) => updateSettings({ addable: value })}
              />
            )}
          </LabeledGroup>
        </div>
      </CardBody>
    </Card>
  );
}

/** Who can be added without confirmation (spec 4.2 rule 2), or why nobody can. */
function formatAddRule(type: number, { invite, add }: MissingCapabilities): string {
  if (add !== undefined) return `Everyone is invited. You cannot add people without confirmation. ${add}.`;
  if (type === TEMPORARY) return 'No one: a temporary membership always starts with an invitation.';
  const rule =
    'Only people whose e-mail domain is the dedicated domain of this site, as set in the global administration.';
  return invite === undefined ? rule : `${rule} You cannot invite others. ${invite}.`;
}

function LabeledGroup({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    <div className="field inv-side">
      <span className="field-label">{label}</span>
      {children}
      {hint !== undefined && <p className="field-hint">{hint}</p>}
    </div>
  );
}

const MAX_FILE_BYTES = 5 * 1024 * 1024;
const PLACEHOLDER = 'ada@company.example, Ben <ben@partner.example>';

/** Text box for addresses: typed, pasted, or from a file. */
function AddressBox() {
  const id = useId();
  const { text, entries } = useStore(draft);
  const [error, setFault] = useState<string>();

  const open = async (file: File) => {
    const read = await readFileText(file);
    setFault(read.error);
    if (read.text !== undefined) appendText(read.text);
  };
  return (
    <Card
      title="People"
      actions={
        text !== '' && (
          <Button size="small" variant="quiet" onClick={clearDraft}>
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
          <DropTarget className="inv-box" onFiles={([file]) => file && void open(file)}>
            <textarea
              id={id}
              className="input"
              rows={7}
              value={text}
              placeholder={PLACEHOLDER}
              spellCheck={false}
              autoComplete="off"
              aria-describedby={`${id}-note`}
              aria-invalid={error !== undefined}
              onChange={({ target }) => {
                setFault(undefined);
                setDraftText(target.value);
              }}
            />
          </DropTarget>
          <FieldNote
            id={`${id}-note`}
            error={error}
            hint={
              entries.length === 0
                ? 'Type or paste any text with addresses. Tables with a heading may have the columns Type, Days and Groups.'
                : `${pluralize(entries.length, 'address', 'addresses')} found.`
            }
          />
          <div className="inv-files">
            <FileChoice
              className="inv-file btn btn-default btn-small"
              accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
              onFiles={([file]) => file && void open(file)}
            >
              <FileUp />
              Add a CSV file
            </FileChoice>
            <Button size="small" variant="quiet" icon={FileSpreadsheet} onClick={saveTemplate}>
              Download the template
            </Button>
          </div>
        </div>
      </CardBody>
    </Card>
  );
}

/** Saves a file with the columns that are read and two examples. */
const saveTemplate = (): void =>
  saveFile(
    'invitations-template.csv',
    formatCsv([
      ['E-mail', 'Type', 'Days', 'Groups'],
      ['ann.example@company.example', 'Permanent', '', ''],
      ['ben.example@company.example', 'Temporary', '30', ''],
    ]),
    'text/csv',
  );

async function readFileText(file: File): Promise<{ text?: string; error?: string }> {
  if (file.size > MAX_FILE_BYTES)
    return { error: `${file.name} is larger than 5 MB. Split it into several files.` };
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (bytes[0] === 0x50 && bytes[1] === 0x4b)
      return { error: `${file.name} is a workbook. Save it as CSV and choose that file.` };
    return { text: decodeText(bytes).text };
  } catch {
    return { error: `${file.name} could not be read.` };
  }
}
