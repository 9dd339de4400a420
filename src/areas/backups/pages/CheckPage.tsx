import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FileCheck2 } from 'lucide-react';
import { usePermission } from '../../../api/session.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { FileChoice, FileDrop } from '../../../ui/form/FileDrop.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import type { CheckedMember, CheckReport } from '../download/check-backup.ts';
import {
  countFailures,
  formatCheck,
  removeFileCheck,
  startFileCheck,
  useFileChecks,
} from '../download/file-checks.ts';
import { backupsQuery } from '../model/backups.ts';
import { formatShortHash } from '../model/format.ts';
import '../panels/backups.css';

const route = getRouteApi('/_app/backups/verify');

/** Checks a downloaded backup in the browser: each member against the manifest of the file, and the file against the list. */
export function CheckPage() {
  const { file: fileName } = route.useSearch();
  const navigate = route.useNavigate();
  const check = useFileChecks().get(fileName);
  const show = (file: string) => void navigate({ to: '.', search: { file }, resetScroll: false });
  const choose = ([file]: readonly File[]) => {
    if (!file) return;
    void startFileCheck(file, { fileName: file.name });
    show(file.name);
  };
  return (
    <Page
      fill={check?.phase === 'done'}
      title="Verify a file"
      breadcrumbs={<Breadcrumbs />}
      meta={check && <span className="backup-name">{fileName}</span>}
      actions={
        check?.phase === 'done' && (
          <FileChoice {...FILES} className={buttonClass()} onFiles={choose}>
            Verify another file
          </FileChoice>
        )
      }
    >
      {check?.phase === 'running' && (
        <section className="card backup-coming" aria-label="Check">
          <progress value={check.share} max={1} aria-label="Checked" />
          <span className="num">{formatCheck(check)}</span>
          <Button
            size="small"
            onClick={() => {
              removeFileCheck(fileName);
              show('');
            }}
          >
            Cancel
          </Button>
        </section>
      )}
      {check?.phase !== 'running' && check?.phase !== 'done' && (
        <FileDrop
          {...FILES}
          what="a backup"
          chosen={check && fileName}
          hint="The file stays on this device: it is unpacked and compared here, piece by piece."
          onFiles={choose}
        />
      )}
      {check?.phase === 'failed' &&
        (check.isReadable ? (
          <Banner tone="bad" title="Not a complete backup">
            {check.problem} It cannot be restored. {ADVICE}
          </Banner>
        ) : (
          <Banner tone="bad" title="The file could not be verified">
            {check.problem} Choose it again.
          </Banner>
        ))}
      {check?.phase === 'done' && <Report report={check.report} />}
    </Page>
  );
}

const FILES = { accept: '.zip,application/zip' };

const ADVICE =
  'Download the backup again and verify that file. If it fails too, the file of the service is damaged: make a new backup, and check the disk of the host.';

function Report({ report }: { report: CheckReport }) {
  const { manifest, sha256, members } = report;
  return (
    <>
      <Verdict report={report} />
      <DataTable
        label="Members"
        columns={COLUMNS}
        rows={members}
        rowId={getMemberName}
        rowLabel={getMemberName}
        empty={<EmptyState icon={FileCheck2} title="The backup is empty" />}
        footer={
          <>
            <span>
              {manifest.site.name} · <Timestamp at={manifest.createdDate} /> · format {manifest.formatVersion}
            </span>
            <span className="backup-check-hash">
              SHA-256 <code className="backup-sha">{sha256}</code>
              <CopyButton value={sha256} label="Copy SHA-256" />
            </span>
          </>
        }
      />
    </>
  );
}

/** What the result means, and whether the file is one of the list. */
function Verdict({ report }: { report: CheckReport }) {
  const { allowed } = usePermission('listBackups');
  const { data: all } = useQuery({ ...backupsQuery, enabled: allowed });
  const listed = all?.find(({ sha256 }) => sha256 === report.sha256);
  const result = formatCheck({ phase: 'done', report });
  if (countFailures(report) > 0)
    return (
      <Banner tone="bad" title={result}>
        The file was damaged or changed after the backup was made, and is not restored as it is. {ADVICE}
      </Banner>
    );
  if (!listed)
    return (
      <Banner tone={all ? 'warn' : 'info'} title={result}>
        {all
          ? 'No backup in the list has the SHA-256 of this file. It was deleted from the list, or it comes from another site, or the file was rewritten together with its manifest.'
          : 'The SHA-256 of the file could not be compared with the list.'}
      </Banner>
    );
  return (
    <Banner tone="ok" title={result}>
      The file is{' '}
      <Link to="/backups/$fileName" params={{ fileName: listed.fileName }}>
        {listed.fileName}
      </Link>
      : its SHA-256 is that of the list.
    </Banner>
  );
}

const RESULTS: Record<CheckedMember['result'], { label: string; tone: Tone; meaning: string }> = {
  matches: { label: 'Matches', tone: 'ok', meaning: 'Length and SHA-256 are those of the manifest' },
  different: { label: 'Differs', tone: 'bad', meaning: 'Length or SHA-256 is not that of the manifest' },
  damaged: { label: 'Damaged', tone: 'bad', meaning: 'It cannot be unpacked, or its checksum is wrong' },
  missing: { label: 'Missing', tone: 'bad', meaning: 'The manifest lists it, but the file does not have it' },
  unlisted: { label: 'Not in manifest', tone: 'bad', meaning: 'The file has it, but no manifest lists it' },
};

const getMemberName = ({ name }: CheckedMember) => name;

const COLUMNS: readonly Column<CheckedMember>[] = [
  {
    id: 'name',
    header: 'Member',
    minWidth: 220,
    cell: ({ name, title }) => (
      <span title={name}>
        {title ?? name} {title === undefined ? null : <span className="person-soft">{name}</span>}
      </span>
    ),
  },
  {
    id: 'result',
    header: 'Result',
    width: 130,
    small: 'aside',
    cell: ({ result }) => (
      <span title={RESULTS[result].meaning}>
        <Badge tone={RESULTS[result].tone}>{RESULTS[result].label}</Badge>
      </span>
    ),
  },
  {
    id: 'rows',
    header: 'Records',
    width: 120,
    align: 'end',
    cell: ({ rows }) => (rows === undefined ? '—' : formatNumber(rows)),
  },
  {
    id: 'size',
    header: 'Size',
    width: 110,
    align: 'end',
    cell: ({ size }) => (size === undefined ? '—' : formatSize(size)),
  },
  {
    id: 'sha256',
    header: 'SHA-256 in manifest',
    width: 160,
    small: 'line',
    cell: ({ sha256 }) => (
      <span className="mono" title={sha256}>
        {sha256 === undefined ? '—' : formatShortHash(sha256)}
      </span>
    ),
  },
];
