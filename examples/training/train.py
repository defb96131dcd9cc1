#!/usr/bin/python3
"""Data-parallel training of a small recurrent network by PyTorch, whose gradients mpi4py averages over all ranks.

The network reads handwritten numbers of one to twelve digits, row by row, and says each digit. A number of twelve
digits takes twelve times as long as one of a single digit, and every rank has its own share of them: sorted by length,
as data often lie on disk, so that the same ranks come last to every MPI_Allreduce; or mixed, so that others do each
time. Plain MPI: nothing in here knows of Starling.

The digits are those of scikit-learn: 1,797 images of 8 by 8 pixels, which come with its package.
"""
import argparse
import json
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # every rank has its own core, or a part of one

# pylint: disable=wrong-import-position  # the libraries read that as they are loaded

import numpy
import torch
from mpi4py import MPI
from sklearn.datasets import load_digits
from tqdm import tqdm

ROWS = 8  # of an image; the network reads one of them a step
DIGITS_FOR_TRAINING = 1500  # of 1,797; the others test what was learned
LONGEST_NUMBER = 12  # digits
NO_DIGIT = -1  # fills up a number that is shorter than the longest of its batch


class Reader(torch.nn.Module):
    """Reads numbers, a row of pixels a step, and says the digit at the end of each image."""

    def __init__(self, hidden):
        super().__init__()
        self.rows = torch.nn.GRU(ROWS, hidden, batch_first=True)
        self.digit = torch.nn.Linear(hidden, 10)

    def forward(self, images):
        """Of images[number, row, column] returns scores[number, place, digit]."""
        states, _ = self.rows(images)
        return self.digit(states[:, ROWS - 1 :: ROWS])


class Numbers:
    """Numbers made of handwritten digits. The same on all ranks, which then take shares of them."""

    def __init__(self, pictures, digits, count, generator):
        lengths = generator.integers(1, LONGEST_NUMBER + 1, size=count)
        self.members = [generator.integers(len(digits), size=length) for length in lengths]
        self.pictures, self.digits = pictures, digits

    def share(self, order, rank, size):
        """The indices of a rank's numbers; as many for every rank."""
        each = len(self.members) // size
        return order[rank * each : (rank + 1) * each]

    def sorted_by_length(self):
        return sorted(range(len(self.members)), key=lambda number: len(self.members[number]))

    def batch(self, numbers):
        """Returns images[number, row, column] and digits[number, place], filled up to the longest of them."""
        places = max(len(self.members[number]) for number in numbers)
        images = torch.zeros(len(numbers), places * ROWS, ROWS)
        digits = torch.full((len(numbers), places), NO_DIGIT)
        for row, number in enumerate(numbers):
            members = self.members[number]
            images[row, : len(members) * ROWS] = self.pictures[members].reshape(-1, ROWS)
            digits[row, : len(members)] = self.digits[members]
        return images, digits


class AveragedGradients:
    """The gradients of all parameters in one buffer, so that one MPI_Allreduce averages them."""

    def __init__(self, model, communicator):
        parameters = list(model.parameters())
        self.communicator = communicator
        self.buffer = torch.zeros(sum(parameter.numel() for parameter in parameters))
        begin = 0
        for parameter in parameters:
            parameter.grad = self.buffer[begin : begin + parameter.numel()].view_as(parameter)
            begin += parameter.numel()

    def average(self):
        self.communicator.Allreduce(MPI.IN_PLACE, self.buffer.numpy(), op=MPI.SUM)
        self.buffer /= self.communicator.size


def loss_of(model, images, digits):
    scores = model(images)
    return torch.nn.functional.cross_entropy(scores.flatten(0, 1), digits.flatten(), ignore_index=NO_DIGIT)


def accuracy_of(model, numbers, order):
    """The share of digits that are read rightly."""
    with torch.no_grad():
        images, digits = numbers.batch(order)
        is_right = model(images).argmax(dim=2) == digits
        return (is_right.sum() / (digits != NO_DIGIT).sum()).item()


class Training:
    def __init__(self, arguments, communicator):
        self.arguments, self.communicator = arguments, communicator
        pictures, digits = load_digits(return_X_y=True)
        pictures = torch.tensor(pictures / 16, dtype=torch.float32).reshape(-1, ROWS, ROWS)
        digits = torch.tensor(digits)
        generator = numpy.random.default_rng(arguments.seed)
        known, new = slice(DIGITS_FOR_TRAINING), slice(DIGITS_FOR_TRAINING, None)
        self.numbers = Numbers(pictures[known], digits[known], arguments.numbers * communicator.size, generator)
        self.test = Numbers(pictures[new], digits[new], 200, generator)
        order = self.numbers.sorted_by_length() if arguments.shares == "sorted" else range(len(self.numbers.members))
        self.own = self.numbers.share(order, communicator.rank, communicator.size)
        torch.manual_seed(arguments.seed)  # every rank begins with the same parameters
        self.model = Reader(arguments.hidden)
        self.gradients = AveragedGradients(self.model, communicator)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.003)

    def step(self, numbers):
        self.optimizer.zero_grad(set_to_none=False)  # the gradients stay in their buffer
        loss = loss_of(self.model, *self.numbers.batch(numbers))
        loss.backward()
        self.gradients.average()
        self.optimizer.step()
        return loss.item()

    def epoch(self, number):
        """One pass over the rank's share. Returns the mean loss over all ranks, and how long it took in seconds."""
        begin = MPI.Wtime()
        shuffled = numpy.random.default_rng((self.arguments.seed, number)).permutation(self.own)
        batches = [shuffled[at : at + self.arguments.batch] for at in range(0, len(shuffled), self.arguments.batch)]
        is_quiet = self.communicator.rank != 0 or self.arguments.quiet
        progress = tqdm(batches, f"epoch {number}", disable=is_quiet, leave=False, mininterval=1)
        losses = [self.step(batch) for batch in progress]
        loss = self.communicator.allreduce(sum(losses) / len(losses)) / self.communicator.size
        return loss, MPI.Wtime() - begin


def whole_number(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return value


def parse(words):
    parser = argparse.ArgumentParser(description="Trains a network that reads handwritten numbers; see train.py.")
    parser.add_argument("--epochs", type=whole_number, default=5, help="passes over the numbers (default: 5)")
    parser.add_argument("--numbers", type=whole_number, default=80, help="of each rank (default: 80)")
    parser.add_argument("--batch", type=whole_number, default=2, help="numbers that a rank reads a step (default: 2)")
    parser.add_argument("--hidden", type=whole_number, default=256, help="width of the network (default: 256)")
    parser.add_argument("--shares", choices=("sorted", "mixed"), default="sorted", help="who has the long numbers: the "
                        "same ranks always, or others each time (default: sorted)")  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="of all that is random (default: 1)")
    parser.add_argument("--log", metavar="FILE", help="write every epoch's figures there, as JSON")
    parser.add_argument("--quiet", action="store_true", help="without a progress bar")
    return parser.parse_args(words)


def main(words):
    communicator = MPI.COMM_WORLD
    arguments = parse(words)
    torch.set_num_threads(1)
    training = Training(arguments, communicator)
    records = []
    for number in range(1, arguments.epochs + 1):
        loss, seconds = training.epoch(number)
        accuracy = accuracy_of(training.model, training.test, range(200))
        records.append({"epoch": number, "loss": loss, "accuracy": accuracy, "seconds": seconds})
        if communicator.rank == 0:
            print(f"epoch {number}: loss {loss:.6f}, {accuracy:.1%} of new digits read, {seconds:.2f} s", flush=True)
    if communicator.rank == 0 and arguments.log:
        with open(arguments.log, "w", encoding="utf-8") as file:
            json.dump({"ranks": communicator.size, "bytes": 4 * training.gradients.buffer.numel(), "epochs": records}, file)


if __name__ == "__main__":
    main(sys.argv[1:])
