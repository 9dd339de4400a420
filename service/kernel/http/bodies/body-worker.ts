/** Thread that reads and validates large bodies, so that other requests do not wait for them (body-reader.ts). */
import { parentPort, workerData } from 'node:worker_threads';
import { ApiError } from '../../api-error.ts';
import { type ContractDocument, createContract } from '../contract.ts';
import type { BodyJob, BodyJobReply } from './body-reader.ts';
import { readJsonBody, readJsonItems } from './read-body.ts';

const contract = createContract(workerData as ContractDocument);
const operationsById = new Map(contract.operations.map((operation) => [operation.id, operation]));

function read(job: BodyJob): BodyJobReply {
  const bytes = Buffer.from(job.bytes.buffer);
  try {
    if ('itemSchema' in job)
      return {
        items: readJsonItems(bytes, job.sha256, (body, isStorable) =>
          contract.validateItems(job.itemSchema, body, isStorable),
        ),
      };
    const operation = operationsById.get(job.operationId);
    if (!operation) throw new Error(`The contract has no operation ${job.operationId}`);
    const { value, errors } = readJsonBody(bytes, (body, isStorable) =>
      operation.validateBody(body, isStorable),
    );
    // The value of an invalid body is not used: the copy would cost time.
    return errors.length > 0 ? { body: { value: undefined, errors } } : { body: { value, errors } };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { refusal: { status: error.status, message: error.message } };
  }
}

parentPort?.on('message', (job: BodyJob) => {
  parentPort?.postMessage(read(job), []);
});
