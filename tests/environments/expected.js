/** The results that every environment must have, computed by the sources here. */
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import * as worker from '../../src/js/worker/client.js';
import { tinyGguf } from '../support/models/tiny-models.js';
import { body } from './app.js';

const make = new Function('init', 'loadModel', 'worker', 'bytes', `${body()}; return check;`);
export const expected = await make(init, loadModel, worker, tinyGguf)();
