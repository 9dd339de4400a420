import { zodResolver } from '@hookform/resolvers/zod';
import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { FormEvent } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type {
  ExclusionTrial,
  RelationshipSettings,
  RelationshipUser,
} from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import {
  completeHistoryMutation,
  createErasureMutation,
  createExclusionMutation,
  deleteExclusionMutation,
  listErasuresOptions,
  listExclusionsOptions,
  listRelationshipUsersOptions,
  tryExclusionMutation,
} from '../../../api/generated/queries/relationship-intelligence.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { personColumn } from '../../../directory/person-columns.tsx';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { SwitchRow } from '../../../ui/form/Toggle.tsx';
import { trackInput } from '../../../ui/form/track-input.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody, CardRow } from '../../../ui/layout/Card.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import type { RowId } from '../../../ui/table/columns.ts';
import { toast } from '../../../ui/toast.ts';
import { ContactsRow } from './ContactsRow.tsx';
import { importSettingsQuery, relationshipSettingsQuery } from './queries.ts';
import { renderPages } from './RunsPage.tsx';
import { exclusionSchema, normalizeExclusion, periodsSchema } from './settings-forms.ts';
import { MonthCloseCard, PreconditionsCard } from './SideCards.tsx';
import { useEnablement } from './use-enablement.ts';
import { useUpdateSettings } from './use-update-settings.ts';
import './imports.css';

/** Settings of Relationship Intelligence: the switches, who is enabled, what is excluded, the end of history. */
export function RelationshipSettingsPage() {
  const { data } = useSuspenseQuery(relationshipSettingsQuery);
  // Who may change the settings need not be an importer.
  const importing = usePermission('getImportSettings');
  const { data: settings } = useQuery({ ...importSettingsQuery, enabled: importing.allowed });
  return (
    <div className="ri-columns">
      <div className="ri-main">
        <SwitchesCard settings={data.data} />
        <UsersCard settings={data.data} />
        <ExclusionsCard />
        <PeriodCard settings={data.data} />
        <HistoryCard settings={data.data} />
        <ErasureCard />
      </div>
      <aside className="ri-side" aria-label="State of imports">
        {settings && <PreconditionsCard settings={settings} kinds={['emails', 'meetings']} />}
        {settings && <MonthCloseCard timeZone={settings.timeZone} />}
      </aside>
    </div>
  );
}

function SwitchesCard({ settings }: { settings: RelationshipSettings }) {
  const { save, reason } = useUpdateSettings();
  const rows = [
    { key: 'isEnabled', label: 'Relationship Intelligence', hint: 'Without it every import is refused.' },
    { key: 'emailRelationships', label: 'Email Relationships', hint: 'Imports of e-mails are accepted.' },
    {
      key: 'meetingRelationships',
      label: 'Meeting Relationships',
      hint: 'Imports of meetings are accepted.',
    },
    {
      key: 'collectRelationshipData',
      label: 'Collect Relationship Data',
      hint: 'Required for e-mails and for meetings.',
    },
  ] as const;
  const isApi = settings.connectionType === 'API Endpoint';
  return (
    <Card title="What is collected">
      <SwitchRow
        label="Connection type API Endpoint"
        hint="Programs and this console post metadata; no mailbox is connected."
        checked={isApi}
        disabledReason={reason}
        onChange={(on) => save({ connectionType: on ? 'API Endpoint' : 'None' })}
      />
      {rows.map(({ key, label, hint }) => (
        <SwitchRow
          key={key}
          label={label}
          hint={hint}
          checked={settings[key]}
          disabledReason={reason}
          onChange={(on) => save({ [key]: on })}
        />
      ))}
      {/* Saved values replace the chosen ones. */}
      <ContactsRow key={Object.values(settings.contacts ?? {}).join(' ')} settings={settings} />
    </Card>
  );
}

const USERS_PAGE_SIZE = 25;

const USER_COLUMNS: readonly Column<RelationshipUser>[] = [
  personColumn,
  { id: 'email', header: 'E-mail', minWidth: 160, small: 'line', cell: ({ emailAddress }) => emailAddress },
  {
    id: 'state',
    header: 'State',
    width: 110,
    small: 'aside',
    cell: ({ isEnabled }) => (isEnabled ? <Badge tone="ok">Enabled</Badge> : <Badge>Not enabled</Badge>),
  },
  {
    id: 'history',
    header: 'History',
    width: 116,
    cell: ({ historyCompletedDate }, { tabIndex }) =>
      historyCompletedDate === null ? 'Open' : <Timestamp at={historyCompletedDate} tabIndex={tabIndex} />,
  },
];

const NO_SELECTION: ReadonlySet<RowId> = new Set();
const NO_PEOPLE: ReadonlyMap<RowId, RelationshipUser> = new Map();

/** Users who are enabled for scoring; changes of several are a job. */
function UsersCard({ settings: { enabledUserCount } }: { settings: RelationshipSettings }) {
  const { ask, reason, isPending } = useEnablement();
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const [selection, setSelection] = useState(NO_SELECTION);
  const [known, setKnown] = useState(NO_PEOPLE);
  const { data, error, refetch, isFetching } = useQuery({
    ...listRelationshipUsersOptions({
      query: {
        pageNumber: page,
        pageSize: USERS_PAGE_SIZE,
        ...(search.trim() !== '' && { search: search.trim() }),
      },
    }),
    placeholderData: keepPreviousData,
  });
  const select = (ids: ReadonlySet<RowId>) => {
    setSelection(ids);
    // The selection goes over several pages.
    setKnown((now) => new Map([...now, ...(data?.users ?? []).map((user) => [user.userId, user] as const)]));
  };
  const apply = async (isEnabled: boolean) => {
    const people = [...selection].flatMap((id) => known.get(id) ?? []);
    const changing = people.filter((user) => user.isEnabled !== isEnabled);
    if (changing.length === 0) {
      toast({
        title: isEnabled
          ? 'All selected people are enabled already'
          : 'None of the selected people is enabled',
      });
      return;
    }
    const done = await ask({ isEnabled, changing, unchanged: people.length - changing.length });
    if (done) setSelection(NO_SELECTION);
  };
  const why = reason ?? (selection.size === 0 ? 'Select people first' : undefined);
  const count = selection.size === 0 ? '' : ` ${formatNumber(selection.size)}`;
  return (
    <section className="ri-mailboxes" id="users" aria-label="Enabled users">
      <h2>
        Enabled users <span className="ri-note num">{formatNumber(enabledUserCount)}</span>
      </h2>
      <ListTable
        table="relationshipUsers"
        filters={
          <SearchField
            label="Search people"
            placeholder="Name or e-mail"
            value={search}
            onChange={(text) => {
              setSearch(text);
              setPage(1);
            }}
          />
        }
        tools={
          <span className="ri-pages">
            <Button size="small" disabledReason={why} pending={isPending} onClick={() => void apply(false)}>
              Disable{count}
            </Button>
            <Button
              size="small"
              variant="primary"
              disabledReason={why}
              pending={isPending}
              onClick={() => void apply(true)}
            >
              Enable{count}
            </Button>
          </span>
        }
        label="Users"
        columns={USER_COLUMNS}
        rows={data?.users}
        rowId={({ userId }) => userId}
        rowLabel={({ name }) => name}
        selection={selection}
        onSelect={select}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        refetching={isFetching && data === undefined}
        empty={
          <EmptyState title="Nobody is on this site yet">People of the site are enabled here.</EmptyState>
        }
        onClearFilters={search === '' ? undefined : () => setSearch('')}
        footer={renderPages(page, USERS_PAGE_SIZE, data?.totalCount, setPage)}
      />
    </section>
  );
}

/** Excluded addresses and domains; each is tried on the last 90 days before it is saved. */
function ExclusionsCard() {
  const { data, error } = useQuery(listExclusionsOptions());
  const { reason } = usePermission('createExclusion');
  const form = useForm({ resolver: zodResolver(exclusionSchema), defaultValues: { value: '' } });
  const attempt = useWrite('tryExclusion', tryExclusionMutation());
  const create = useWrite('createExclusion', createExclusionMutation());
  const remove = useWrite('deleteExclusion', deleteExclusionMutation());
  const typed = normalizeExclusion(useWatch({ control: form.control, name: 'value' }));
  const tried = attempt.data && attempt.variables.body.value === typed ? attempt.data : undefined;
  const submit = form.handleSubmit(({ value }) => {
    if (reason === undefined) attempt.mutate({ body: { value } });
  });
  const save = () => {
    const takeStored = trackInput(form);
    create.mutate(
      { body: { value: typed } },
      {
        onSuccess: () => {
          takeStored({ value: '' });
          toast({ title: `${typed} is excluded` });
        },
      },
    );
  };
  const failure = attempt.error ?? create.error ?? remove.error;
  return (
    <Card title="Excluded addresses and domains">
      <CardBody>
        <p className="ri-note">
          Items with an excluded address are skipped from then on. A domain includes its subdomains. What is
          stored already stays; erase a person below.
        </p>
        <form className="ri-line" noValidate onSubmit={(event) => void submit(event)}>
          <TextField
            control={form.control}
            name="value"
            label="Address or domain"
            placeholder="example.com"
          />
          <Button
            type="submit"
            pending={attempt.isPending}
            disabledReason={reason ?? (typed === '' ? 'Enter an address or a domain' : undefined)}
          >
            Try on the last 90 days
          </Button>
          <Button
            variant="primary"
            pending={create.isPending}
            disabledReason={reason ?? (tried ? undefined : 'Try it on the last 90 days first')}
            onClick={save}
          >
            Exclude
          </Button>
        </form>
        {failure && <FailureBanner failure={failure} />}
        {tried && <Trial trial={tried} value={typed} />}
      </CardBody>
      {error && <FailureBanner failure={toServiceError(error)} />}
      {data?.map((one) => (
        <CardRow
          key={one.id}
          title={one.value}
          description={
            <>
              {one.isDomain ? 'Domain' : 'Address'}, excluded by{' '}
              {one.createdByName ?? `user ${one.createdById}`} <Timestamp at={one.createdDate} />
            </>
          }
          action={
            <Button
              size="small"
              aria-label={`Remove ${one.value}`}
              disabledReason={reason}
              pending={remove.isPending && remove.variables.path.exclusionId === one.id}
              onClick={() => remove.mutate({ path: { exclusionId: one.id } })}
            >
              Remove
            </Button>
          }
        />
      ))}
    </Card>
  );
}

function Trial({ trial, value }: { trial: ExclusionTrial; value: string }) {
  const { emails, meetings, users, addresses, totalEmails, totalMeetings, strongest } = trial;
  return (
    <output className="ri-trial">
      <Banner tone={emails + meetings > 0 ? 'warn' : 'info'}>
        {emails + meetings === 0
          ? `Nothing in the last 90 days has ${value}, so the exclusion would have had no effect.`
          : `In the last 90 days it would have skipped ${formatNumber(emails)} of ${pluralize(totalEmails, 'e-mail', 'e-mails')} and ${formatNumber(meetings)} of ${pluralize(totalMeetings, 'meeting', 'meetings')} of ${pluralize(users, 'person', 'people')}, with ${pluralize(addresses, 'address', 'addresses')}.`}
      </Banner>
      {strongest.length > 0 && (
        <ul className="ri-warnings">
          {strongest.map(({ userId, userName, address, name, score }) => (
            <li key={`${userId} ${address}`}>
              <b className="num">{score}</b> {userName ?? `User ${userId}`} and {name ?? address}
            </li>
          ))}
        </ul>
      )}
    </output>
  );
}

type Periods = Pick<RelationshipSettings, 'historicalSyncPeriodDays' | 'retentionDays' | 'internalDomains'>;

const toPeriodTexts = ({ historicalSyncPeriodDays, retentionDays, internalDomains }: Periods) => ({
  historicalSyncPeriodDays: String(historicalSyncPeriodDays),
  retentionDays: String(retentionDays ?? ''),
  internalDomains: internalDomains.join('\n'),
});

/** Numbers of days and domains that are saved together. */
function PeriodCard({ settings }: { settings: RelationshipSettings }) {
  const { save, reason, isPending } = useUpdateSettings();
  const form = useForm({
    resolver: zodResolver(periodsSchema),
    // Stored values that have changed replace those that are not being edited.
    values: toPeriodTexts(settings),
    resetOptions: { keepDirtyValues: true },
  });
  const { control } = form;
  useUnsavedGuard(form.formState.isDirty);
  const submit = form.handleSubmit((values) => {
    if (reason !== undefined) return;
    const takeStored = trackInput(form);
    save(values, 'Settings saved', () => takeStored(toPeriodTexts(values)));
  });
  return (
    <Card title="Periods and domains">
      <CardBody>
        <form className="ri-form" noValidate onSubmit={(event) => void submit(event)}>
          <TextField
            control={control}
            name="historicalSyncPeriodDays"
            label="Historical sync period in days"
            inputMode="numeric"
            hint="Older items are skipped; those of this and the previous month never are."
          />
          <TextField
            control={control}
            name="retentionDays"
            label="Days after which items are deleted"
            inputMode="numeric"
            hint="Empty keeps them."
          />
          <TextField
            control={control}
            name="internalDomains"
            label="Internal domains"
            rows={3}
            hint="One domain per line. Mail between people of these domains does not count as a relationship."
          />
          <div>
            <Button type="submit" pending={isPending} disabledReason={reason}>
              Save
            </Button>
          </div>
        </form>
      </CardBody>
    </Card>
  );
}

/** The end of the historical upload, which cannot be undone (spec 3, 8). */
function HistoryCard({
  settings: { enabledUserCount, completedUserCount },
}: {
  settings: RelationshipSettings;
}) {
  const { reason } = usePermission('completeHistory');
  const complete = useWrite('completeHistory', completeHistoryMutation());
  const open = enabledUserCount - completedUserCount;
  const ask = () =>
    confirmIrreversible({
      title: `End the historical upload of ${pluralize(open, 'person', 'people')}?`,
      action: 'End historical upload',
      expectedText: 'End historical upload',
      irreversible: 'The historical upload cannot be opened again for these people.',
      breaks: 'Items before the previous month are skipped, in this console and from programs.',
      affects: `${pluralize(open, 'enabled person', 'enabled people')}. People who are enabled later have a history of their own.`,
      run: () => complete.mutateAsync({ body: {} }),
    });
  return (
    <Card title="Historical upload">
      <CardRow
        title={
          open === 0
            ? 'The historical upload of all enabled people is complete'
            : `The historical upload of ${pluralize(open, 'person', 'people')} is open`
        }
        description={`${formatNumber(completedUserCount)} of ${pluralize(enabledUserCount, 'enabled person', 'enabled people')} have completed it. Ending it cannot be undone.`}
        action={
          <Button
            variant="danger"
            disabledReason={reason ?? (open === 0 ? 'There is no open historical upload' : undefined)}
            onClick={() => void ask()}
          >
            End historical upload
          </Button>
        }
      />
    </Card>
  );
}

/** Removal of the data of one outside person, with a proof. */
function ErasureCard() {
  const { data, error } = useQuery(listErasuresOptions());
  const { reason } = usePermission('createErasure');
  const erase = useWrite('createErasure', createErasureMutation());
  const [address, setAddress] = useState('');
  const id = useId();
  const typed = address.trim().toLowerCase();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === '' || reason !== undefined) return;
    void confirmIrreversible({
      title: 'Erase the data of this person?',
      action: 'Erase',
      expectedText: typed,
      irreversible: `${typed} is removed from all e-mails, meetings and relationships.`,
      breaks: 'Scores that came from this address.',
      affects: 'Relationships of all people of the site with this address.',
      run: async () => {
        await erase.mutateAsync({ body: { address: typed } });
        setAddress('');
      },
    });
  };
  return (
    <Card title="Erase a person">
      <CardBody>
        <form className="ri-line" onSubmit={submit}>
          <div className="field">
            <label className="field-label" htmlFor={id}>
              E-mail address
            </label>
            <input
              id={id}
              className="input"
              type="email"
              autoComplete="off"
              value={address}
              onChange={({ target }) => setAddress(target.value)}
            />
          </div>
          <Button
            type="submit"
            variant="danger"
            disabledReason={reason ?? (typed === '' ? 'Enter an e-mail address' : undefined)}
          >
            Erase
          </Button>
        </form>
      </CardBody>
      {error && <FailureBanner failure={toServiceError(error)} />}
      {data?.map((one) => (
        <CardRow
          key={one.id}
          title={`${pluralize(one.changedItems + one.removedItems, 'item', 'items')} and ${pluralize(one.removedRelationships, 'relationship', 'relationships')} erased`}
          description={
            <>
              By {one.erasedByName ?? `user ${one.erasedById}`} <Timestamp at={one.erasedDate} />. Found
              afterwards: {formatNumber(one.remaining)}. Proof{' '}
              <span className="mono ri-hash">{one.proof}</span>
            </>
          }
        />
      ))}
    </Card>
  );
}
