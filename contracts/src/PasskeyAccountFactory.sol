// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {PasskeyAccount} from "./PasskeyAccount.sol";

/// @title Makes the accounts of people who sign with a passkey
/// @notice An account's address follows from its first keys, so it can be granted roles and be offered lots before it is deployed.
/// @dev Nobody has power over it. A clone of its implementation that it did not make can never be initialised, so the code of an account
/// proves where it comes from.
contract PasskeyAccountFactory {
    /// @notice The code behind the clones.
    address public immutable implementation;

    event AccountDeployed(address indexed account);

    constructor() {
        implementation = address(new PasskeyAccount());
    }

    function addressOf(PasskeyAccount.Config calldata config) public view returns (address) {
        return Clones.predictDeterministicAddress(implementation, _salt(config));
    }

    /// @notice Deploys the account, with its keys, if it is not there yet. Anybody may.
    function deploy(PasskeyAccount.Config calldata config) public returns (address account) {
        account = addressOf(config);
        if (account.code.length != 0) return account;
        Clones.cloneDeterministic(implementation, _salt(config));
        PasskeyAccount(account).initialize(config);
        emit AccountDeployed(account);
    }

    /// @notice Checks a signature of an account that may not be deployed yet (ERC-6492): for eth_call.
    function checkSignature(PasskeyAccount.Config calldata config, bytes32 hash, bytes calldata signature) external returns (bool) {
        return IERC1271(deploy(config)).isValidSignature(hash, signature) == IERC1271.isValidSignature.selector;
    }

    function _salt(PasskeyAccount.Config calldata config) private pure returns (bytes32) {
        return keccak256(abi.encode(config));
    }
}
