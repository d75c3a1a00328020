/** The second thread of the limit: the same loop, at the same time. */
let madd;

addEventListener('message', async ({ data }) => {
  if (data.module) madd = (await WebAssembly.instantiate(data.module, {})).exports.limit_madd;
  postMessage(data.steps ? madd(data.steps) : 0);
});
