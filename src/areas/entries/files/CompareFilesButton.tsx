import { Suspense, useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import type { Field } from '../model/schema.ts';
import type { FileSide } from './FileComparison.tsx';

const FileComparison = lazyWithPreload(() => import('./FileComparison.tsx'));

interface CompareFilesButtonProps {
  entryId: number;
  field: Field;
  sides: readonly [FileSide, FileSide];
}

/** Opens two versions of the files of a field side by side. */
export function CompareFilesButton(props: CompareFilesButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        aria-label={`Show both versions of ${props.field.name}`}
        onPointerEnter={FileComparison.preload}
        onFocus={FileComparison.preload}
        onClick={() => setIsOpen(true)}
      >
        Side by side
      </Button>
      {isOpen && (
        <Suspense>
          <FileComparison {...props} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
