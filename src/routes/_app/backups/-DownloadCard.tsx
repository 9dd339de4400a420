import { actionsOf, checkWords, progressWords } from '../../../backups/tray.ts';
import type { ShownDownload } from '../../../backups/download.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import './-backups.css';

/** A download of this backup in this tab: how far, how fast, for which address, and at the end whether it is right. */
export function DownloadCard({ download }: { download: ShownDownload }) {
  const { phase, received, size, address, trouble } = download;
  const actions = actionsOf(download).map(({ label, onSelect }) => (
    <Button key={label} size="small" onClick={onSelect}>
      {label}
    </Button>
  ));
  if (phase === 'done')
    return (
      <Banner tone={download.isAsListed ? 'ok' : 'info'} title="Downloaded" actions={actions}>
        {checkWords(download)}
      </Banner>
    );
  if (phase === 'failed')
    return (
      <Banner tone="bad" title="Not downloaded" actions={actions}>
        {progressWords(download)}
      </Banner>
    );
  return (
    <section className="card backup-coming" aria-label="Download">
      <progress value={received} max={size ?? undefined} aria-label="Downloaded" />
      <span className="num">
        {progressWords(download)}
        {address !== undefined && trouble === undefined && ` · link for ${address}`}
      </span>
      <span className="backup-coming-acts">{actions}</span>
    </section>
  );
}
