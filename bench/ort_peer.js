// ONNX Runtime behind a pipe, one command a line, one answer a line:
//   load MODEL INPUT THREADS   all graph optimisations, sequential; INPUT: four int32 dims, then floats. Tries each of settings() and
//                              keeps the quickest -> "ok" and its words
//   open MODEL INPUT THREADS   the same with the first of settings() -> "ok"
//   run                        -> milliseconds of the run alone
//   cpu                        -> the same, in CPU time of the process
//   save FILE                  the last run's outputs, one behind the other, in the session's order
'use strict';
const fs = require('fs');
const ort = require('onnxruntime-node');
let session, feeds, results;

// Whether idle workers spin, and whether they are bound: a session's thread is the caller, so there is one worker less than threads,
// and an affinity is its processor, counted from 1.
function settings(threads) {
  const spinning = ['1', '0'].map((allow_spinning) => ({ intra_op: { allow_spinning } }));
  if (threads === 1) return spinning;
  const processors = Array.from({ length: threads - 1 }, (_, worker) => worker + 2);
  const bound = [processors, processors.map((each) => each - 1)].map((each) => ({ intra_op_thread_affinities: each.join(';') }));
  return spinning.flatMap((each) => [each, ...bound.map((binding) => ({ ...each, ...binding }))]);
}

function words(setting) {
  const affinity = setting.intra_op_thread_affinities;
  return (setting.intra_op.allow_spinning === '1' ? 'spins' : 'sleeps') + (affinity ? ', bound to ' + affinity : '');
}

function create(model, threads, setting) {
  return ort.InferenceSession.create(model, {
    intraOpNumThreads: threads, interOpNumThreads: 1, executionMode: 'sequential', graphOptimizationLevel: 'all',
    extra: { session: setting },
  });
}

function read(input) {
  const bytes = fs.readFileSync(input);
  const floats = new Float32Array(bytes.buffer, bytes.byteOffset + 16, bytes.length / 4 - 4);
  const dims = Array.from(new Int32Array(bytes.buffer, bytes.byteOffset, 4));
  return new ort.Tensor('float32', floats, dims);
}

// One run discarded, then the median of three.
async function trial() {
  await run();
  const times = [await run(), await run(), await run()];
  return times.sort((a, b) => a - b)[1];
}

async function open(model, tensor, threads, setting) {
  const before = session;
  session = results = undefined;
  if (before) await before.release();
  session = await create(model, threads, setting);
  feeds = { [session.inputNames[0]]: tensor };
}

async function load(model, input, count) {
  const threads = Number(count), tensor = read(input);
  let best;
  for (const setting of settings(threads)) {
    await open(model, tensor, threads, setting);
    const time = await trial();
    if (!best || time < best.time) best = { time, setting };
  }
  await open(model, tensor, threads, best.setting);
  return words(best.setting);
}

async function run() {
  const start = process.hrtime.bigint();
  results = await session.run(feeds);
  return Number(process.hrtime.bigint() - start) / 1e6;
}

async function cpu() {
  const start = process.cpuUsage();
  results = await session.run(feeds);
  const used = process.cpuUsage(start);
  return (used.user + used.system) / 1e3;
}

function save(file) {
  const parts = session.outputNames.map((name) => {
    const data = results[name].data;
    return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  });
  fs.writeFileSync(file, Buffer.concat(parts));
}

async function main() {
  for await (const line of require('readline').createInterface({ input: process.stdin })) {
    const [word, ...rest] = line.split(' ');
    try {
      if (word === 'load') console.log('ok ' + await load(...rest));
      else if (word === 'open') {
        await open(rest[0], read(rest[1]), Number(rest[2]), settings(Number(rest[2]))[0]);
        console.log('ok');
      } else if (word === 'run') console.log(await run());
      else if (word === 'cpu') console.log(await cpu());
      else if (word === 'save') { save(...rest); console.log('ok'); }
      else console.log('error what is ' + word);
    } catch (error) {
      console.log('error ' + String(error.message).split('\n')[0]);
    }
  }
}
main();
