// ONNX Runtime behind a pipe, one command a line, one answer a line:
//   load MODEL INPUT THREADS   all graph optimisations, sequential; INPUT: four int32 dims, then floats
//   run                        -> milliseconds of the run alone
//   cpu                        -> the same, in CPU time of the process
//   save FILE                  the last run's outputs, one behind the other, in the session's order
'use strict';
const fs = require('fs');
const ort = require('onnxruntime-node');
let session, feeds, results;

async function load(model, input, threads) {
  session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: Number(threads), interOpNumThreads: 1, executionMode: 'sequential',
    graphOptimizationLevel: 'all',
  });
  const bytes = fs.readFileSync(input);
  const floats = new Float32Array(bytes.buffer, bytes.byteOffset + 16, bytes.length / 4 - 4);
  const dims = Array.from(new Int32Array(bytes.buffer, bytes.byteOffset, 4));
  feeds = { [session.inputNames[0]]: new ort.Tensor('float32', floats, dims) };
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
      if (word === 'load') { await load(...rest); console.log('ok'); }
      else if (word === 'run') console.log(await run());
      else if (word === 'cpu') console.log(await cpu());
      else if (word === 'save') { save(...rest); console.log('ok'); }
      else console.log('error what is ' + word);
    } catch (error) {
      console.log('error ' + String(error.message).split('\n')[0]);
    }
  }
}
main();
