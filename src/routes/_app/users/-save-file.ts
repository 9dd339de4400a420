export { saveFile } from '../../../export/save-file.ts';
