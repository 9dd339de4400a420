// Pages and components for imports of any kind.
export { ColumnRow, FileSummary } from './FileSummary.tsx';
export { ChooseFile, PrepareImport } from './Prepare.tsx';
export type { ImportTarget, ImportUpload } from './Prepare.tsx';
export { usePreparation } from './use-preparation.ts';
export type { FileSession, Prepared } from './use-preparation.ts';
