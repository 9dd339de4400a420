import { serveWorker } from '../../../files/import-plan/plan-store.ts';
import { createRowChecker } from './row-checker.ts';

serveWorker(createRowChecker());
