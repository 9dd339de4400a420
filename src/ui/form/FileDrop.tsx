import { FileUp } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { useState } from 'react';
import type { DragEvent, ReactNode } from 'react';
import { cx } from '../cx.ts';
import './file-drop.css';

interface DropTargetProps {
  /** Files that were dropped; at least one. */
  onFiles: (files: readonly File[]) => void;
  className?: string;
  children: ReactNode;
}

/** Area that takes dropped files. Dropping is an alternative to a button or field inside. */
export function DropTarget({ onFiles, className, children }: DropTargetProps) {
  const [isOver, setIsOver] = useState(false);
  const drag = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setIsOver(event.type === 'dragover');
  };
  const drop = (event: DragEvent) => {
    drag(event);
    const files = [...event.dataTransfer.files];
    if (files.length > 0) onFiles(files);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className={cx('drop-target', isOver && 'drop-target-over', className)}
      onDragOver={drag}
      onDragLeave={drag}
      onDrop={drop}
    >
      {children}
    </div>
  );
}

interface FileInputProps {
  /** Extensions and media types, separated by commas. */
  accept: string;
  multiple?: boolean;
  id?: string;
  'aria-describedby'?: string;
  /** Whether to focus the field when it appears, such as after a file that could not be read. */
  takesFocus?: boolean;
  onFiles: (files: readonly File[]) => void;
}

interface FileChoiceProps extends FileInputProps {
  className: string;
  children: ReactNode;
}

/** Label that opens the choice of files; its field is invisible. */
export function FileChoice({ className, children, takesFocus = false, onFiles, ...field }: FileChoiceProps) {
  return (
    <label className={className}>
      <input
        {...field}
        type="file"
        className="visually-hidden"
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={takesFocus}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // The same file can be chosen again after it was changed.
          target.value = '';
          if (files.length > 0) onFiles(files);
        }}
      />
      {children}
    </label>
  );
}

interface FileDropProps extends FileInputProps {
  icon?: LucideIcon;
  /** What is dropped: "a CSV, XLSX or JSON file". */
  what: string;
  /** The file that was chosen, where it is kept until the form is sent. */
  chosen?: string | undefined;
  hint?: ReactNode;
  /** Progress of reading, shown instead of the choice. */
  reading?: ReactNode;
}

/** Area to which files are dropped, or in which they are chosen. */
export function FileDrop({ icon: Icon = FileUp, what, chosen, hint, reading, ...input }: FileDropProps) {
  return (
    <DropTarget className="file-drop" onFiles={input.onFiles}>
      <Icon aria-hidden />
      {reading ?? (
        <p>
          {chosen !== undefined && (
            <>
              <b>{chosen}</b>
              <br />
            </>
          )}
          Drop {what} here, or{' '}
          <FileChoice {...input} className="file-drop-choose">
            <span>{getChoiceLabel(input.multiple === true, chosen)}</span>
          </FileChoice>
        </p>
      )}
      {hint !== undefined && <small>{hint}</small>}
    </DropTarget>
  );
}

function getChoiceLabel(isMultiple: boolean, chosen: string | undefined): string {
  if (isMultiple) return 'choose files';
  return chosen === undefined ? 'choose a file' : 'choose another file';
}
