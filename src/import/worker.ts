import { expose } from 'comlink';
import { createDesk } from './desk.ts';

// The file is read, and its rows are checked, beside the page.
expose(createDesk());
