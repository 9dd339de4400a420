import { useQuery } from '@tanstack/react-query';
import { Download, X } from 'lucide-react';
import { Suspense, useMemo, useState } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import type { FieldValue, FileValueVm } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { saveFile } from '../../../files/download.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { LabelledSelect } from '../../../ui/form/select/Select.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import { toast } from '../../../ui/toast.ts';
import type { Field } from '../model/schema.ts';
import { isFile, toItems } from '../model/values.ts';
import { getFileKind } from './file-kind.ts';
import { pairFiles } from './file-versions.ts';
import type { FileVersion } from './file-versions.ts';
import { loadEntryFile, readEntryFileHash, useObjectUrl } from './load-file.ts';
import { createEntryFileSource } from './pdf-source.ts';
import './file-comparison.css';

const PdfPane = lazyWithPreload(() => import('../../../ui/pdf/PdfPane.tsx'));

interface FileComparisonProps {
  entryId: number;
  field: Field;
  /** The two states, the earlier first; `asOf` is undefined for the current one. */
  sides: readonly [FileSide, FileSide];
  onClose: () => void;
}

/** The files of a field at one time. */
export interface FileSide {
  title: string;
  asOf: string | undefined;
  value: FieldValue | undefined;
}

/** Two versions of a file side by side. */
export default function FileComparison({ entryId, field, sides, onClose }: FileComparisonProps) {
  const [first, second] = sides.map(({ asOf, value }) =>
    toItems(value)
      .filter(isFile)
      .map((file): FileVersion => ({ file, asOf })),
  );
  const pairs = useMemo(() => pairFiles(first ?? [], second ?? []), [first, second]);
  const [chosen, setChosen] = useState(0);
  const pair = pairs[chosen] ?? pairs[0];
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="fc-modal">
        <Dialog className="panel-inner">
          <header className="panel-head">
            <Heading slot="title" level={2}>
              Versions of {field.name}
            </Heading>
            <IconButton label="Close" icon={X} onClick={onClose} />
          </header>
          {pairs.length > 1 && (
            <LabelledSelect
              label="File"
              className="fc-choice"
              value={chosen}
              options={pairs.map(({ name }, index) => ({ value: index, label: name }))}
              onChange={setChosen}
            />
          )}
          <div className="fc-sides" key={chosen}>
            {sides.map(({ title }, index) => (
              <section key={title} className="fc-side" aria-label={title}>
                <h3>{title}</h3>
                <Version {...{ entryId, field }} version={pair?.versions[index]} />
              </section>
            ))}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface VersionProps {
  entryId: number;
  field: Field;
  version: FileVersion | undefined;
}

/** One version: what it is, and its content as far as it can be shown. */
function Version({ entryId, field, version }: VersionProps) {
  if (!version) return <p className="ent-quiet">There was no such file.</p>;
  return <StoredVersion {...{ entryId, field, version }} />;
}

function StoredVersion({ entryId, field, version }: VersionProps & { version: FileVersion }) {
  const { file, asOf } = version;
  const target = { entryId, fieldId: field.id, seqNumber: file.seqNumber, asOf };
  const { data: hash } = useQuery({
    queryKey: [{ hashOf: file.id, entryId, fieldId: field.id }],
    queryFn: ({ signal }) => readEntryFileHash(target, signal),
    staleTime: Infinity,
  });
  const [pending, setPending] = useState(false);
  const save = async () => {
    setPending(true);
    try {
      saveFile(file.name, await loadEntryFile(target));
    } catch (thrown) {
      const description = toServiceError(thrown).message;
      toast({ title: `${file.name} could not be loaded`, description, tone: 'bad' });
    }
    setPending(false);
  };
  return (
    <>
      <div className="fc-facts">
        <span>
          <bdi>{file.name}</bdi>
          <span className="ent-quiet">
            {file.contentType}, {formatSize(file.size)}
          </span>
          {hash !== undefined && <code className="fc-hash">SHA-256 {hash}</code>}
        </span>
        <Button size="small" icon={Download} pending={pending} onClick={() => void save()}>
          Download
        </Button>
      </div>
      <Content {...{ file, target }} onDownload={() => void save()} />
    </>
  );
}

interface ContentProps {
  file: FileValueVm;
  target: Parameters<typeof loadEntryFile>[0];
  onDownload: () => void;
}

function Content({ file, target, onDownload }: ContentProps) {
  const { entryId, fieldId, asOf } = target;
  const kind = getFileKind(file);
  // The viewer needs the same object as long as it shows the file.
  const [source] = useState(() => createEntryFileSource(entryId, fieldId, file, asOf));
  if (kind === 'pdf')
    return (
      <Suspense fallback={<SkeletonRows rows={5} />}>
        <PdfPane {...{ source, onDownload }} />
      </Suspense>
    );
  if (kind === 'other') return <p className="ent-quiet">This kind of file cannot be shown. Download it.</p>;
  return <LoadedContent {...{ file, target, kind }} />;
}

function LoadedContent({
  file,
  target,
  kind,
}: Omit<ContentProps, 'onDownload'> & { kind: 'image' | 'text' }) {
  const { data, error } = useQuery({
    queryKey: [{ versionOf: file.id, entryId: target.entryId, fieldId: target.fieldId }],
    async queryFn({ signal }) {
      const blob = await loadEntryFile(target, signal);
      // Text is shown as it is; bytes that are no UTF-8 become replacement characters.
      return kind === 'text' ? await blob.text() : blob;
    },
    staleTime: Infinity,
    gcTime: 0,
    structuralSharing: false,
  });
  const url = useObjectUrl(data instanceof Blob ? data : undefined);
  if (error) return <p className="field-error">{toServiceError(error).message}</p>;
  if (data === undefined) return <SkeletonRows rows={3} />;
  if (url !== undefined) return <img className="fc-image" src={url} alt={file.name} />;
  return (
    // Scrolls, so the keyboard must reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above
    <pre className="fc-text" tabIndex={0} aria-label={file.name}>
      {typeof data === 'string' ? data : ''}
    </pre>
  );
}
